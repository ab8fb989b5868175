-- Members of a topic within a segment: a list of offsets as u16, or from 256 members on a bitmap of 512 bytes. Fewer
-- than 128 members become a list again.

local function pair(offset) return string.char(offset % 256, math.floor(offset / 256)) end

local function changed(members, offset, value)
    local at, mask = math.floor(offset / 8) + 1, 2 ^ (offset % 8)
    local byte = string.byte(members, at)
    byte = value and bit.bor(byte, mask) or bit.band(byte, 255 - mask)
    return string.sub(members, 1, at - 1) .. string.char(byte) .. string.sub(members, at + 1)
end

local function bitmap(list)
    local bytes = {}
    for i = 1, 512 do bytes[i] = 0 end
    for i = 1, #list, 2 do
        local offset = string.byte(list, i) + string.byte(list, i + 1) * 256
        local at = math.floor(offset / 8) + 1
        bytes[at] = bytes[at] + 2 ^ (offset % 8)
    end
    for i = 1, 512 do bytes[i] = string.char(bytes[i]) end
    return table.concat(bytes)
end

-- The members as a list; nil if there are 128 or more, which shows within a few bytes of most bitmaps.
local function few(members)
    local list = {}
    for at = 1, 512 do
        local byte = string.byte(members, at)
        local offset = (at - 1) * 8
        while byte > 0 do
            if byte % 2 == 1 then list[#list + 1] = pair(offset) end
            byte, offset = math.floor(byte / 2), offset + 1
        end
        if #list >= 128 then return nil end
    end
    return table.concat(list)
end

local function join(key, field, offset)
    local value = read(key, field) or ''
    if #value == 512 then
        value = changed(value, offset, true)
    elseif aligned(value, pair(offset), 2, 0) then
        return
    else
        value = value .. pair(offset)
        if #value == 512 then value = bitmap(value) end
    end
    write(key, field, value)
end

-- Returns true if it was a member.
local function leave(key, field, offset)
    local value = read(key, field)
    if not value then return false end
    if #value == 512 then
        local rest = changed(value, offset, false)
        if rest == value then return false end
        value = few(rest) or rest
    else
        local at = aligned(value, pair(offset), 2, 0)
        if not at then return false end
        value = string.sub(value, 1, at - 1) .. string.sub(value, at + 2)
    end
    write(key, field, value ~= '' and value)
    return true
end
