-- Purges of topics in a segment. In one step the members of a topic become purged members, whatever their number. The
-- subscriptions in the lists of these devices are removed later, bucket by bucket; until then the header's field
-- `purged` names the topic. A device that subscribes again is not a purged member any more.

local function isIn(members, offset)
    if #members < 512 then return aligned(members, pair(offset), 2, 0) ~= nil end
    return math.floor(string.byte(members, math.floor(offset / 8) + 1) / 2 ^ (offset % 8)) % 2 == 1
end

local function size(members)
    if #members < 512 then return #members / 2 end
    local count = 0
    for at = 1, 512 do
        local byte = string.byte(members, at)
        while byte > 0 do
            count = count + byte % 2
            byte = math.floor(byte / 2)
        end
    end
    return count
end

local function union(first, second)
    local all = #first < 512 and bitmap(first) or first
    for offset = 0, 4095 do
        if isIn(second, offset) then all = changed(all, offset, true) end
    end
    return few(all) or all
end

-- Numbers of topics, each with a comma before it.
local function purged() return read(KEYS[1], 'purged') or '' end

-- Returns the number of subscriptions that have ended.
local function purge(topics, number)
    local members = read(topics, number)
    if not members then return 0 end
    local before = read(topics, number .. 'x')
    write(topics, number .. 'x', before and union(before, members) or members)
    write(topics, number, false)
    write(topics, number .. 'i', false)
    if not before then write(KEYS[1], 'purged', purged() .. ',' .. number) end
    return size(members)
end

-- The lists of the topic name it no more.
local function forgetPurge(number)
    local rest = string.gsub(purged() .. ',', ',' .. number .. ',', ',', 1)
    rest = string.sub(rest, 1, -2)
    write(KEYS[1], 'purged', rest ~= '' and rest)
end
