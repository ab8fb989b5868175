-- Applies changes to devices. KEYS[3] holds failures. ARGV[2] is the time in seconds.

local now = struct.pack('<I4', tonumber(ARGV[2]))

-- SETBIT counts from the highest bit of a byte, the bitmap of existing devices from the lowest.
local function bitOf(offset) return offset - offset % 8 + 7 - offset % 8 end

-- Returns the old record, empty if there was none; the mark of a removed device stays.
local function put(offset, devices, record)
    local field = offset % 128
    local old = read(devices, field)
    if old and string.byte(old) == RECORD_REMOVED then return '' end
    write(devices, field, record)
    write(KEYS[3], offset, false)
    bits[bitOf(offset)] = 1
    return old or ''
end

-- Leaves a mark with the time and the old record, which is returned. `topics` is the position of the first topic key.
local function remove(offset, devices, subscriptions, badges, topics)
    local field = offset % 128
    local old = read(devices, field) or ''
    if old ~= '' and string.byte(old) == RECORD_REMOVED then return '' end
    write(devices, field, string.char(RECORD_REMOVED) .. now .. old)
    marks = marks + 1
    bits[bitOf(offset)] = 0
    local list = read(subscriptions, field) or ''
    for at = 1, #list, 4 do
        local number = math.floor(struct.unpack('<I4', list, at) / 16)
        local key = KEYS[topics + number % 32]
        leave(key, number, offset)
        leave(key, number .. 'i', offset)
    end
    write(subscriptions, field, false)
    write(badges, field, false)
    write(KEYS[3], offset, false)
    return old
end

local function setBadge(offset, badges, value)
    write(badges, offset % 128, value ~= '' and value)
    return 0
end

-- An empty value removes.
local function saveNamed(key, name, value)
    write(key, name, value ~= '' and value)
    return 0
end

-- The log may end with a record of the count before, so that the new one is recorded again.
local function setCount(counts, recount, number, previous, count)
    local isReplaced = replaceCount(counts, number, previous, count)
    if isReplaced == 1 then write(recount, number, '') end
    return isReplaced
end

-- The change whose arguments begin at ARGV[i].
local function apply(i)
    local kind, offset = ARGV[i], tonumber(ARGV[i + 2])
    local a, b = KEYS[tonumber(ARGV[i + 3])], KEYS[tonumber(ARGV[i + 4])]
    if kind == 'put' then return put(offset, a, ARGV[i + 6]) end
    if kind == 'remove' then
        return remove(offset, a, b, KEYS[tonumber(ARGV[i + 5])], tonumber(ARGV[i + 6]))
    end
    if kind == 'subscribe' then
        return subscribe(offset, a, b, tonumber(ARGV[i + 6]), tonumber(ARGV[i + 7]))
    end
    if kind == 'unsubscribe' then return unsubscribe(offset, a, b, tonumber(ARGV[i + 6])) end
    if kind == 'purge' then return purge(a, tonumber(ARGV[i + 6])) end
    if kind == 'count' then return setCount(a, b, ARGV[i + 5], ARGV[i + 6], ARGV[i + 7]) end
    if kind == 'named' then return saveNamed(a, ARGV[i + 6], ARGV[i + 7]) end
    if kind == 'transfer' then
        return saveTransfer(a, b, KEYS[tonumber(ARGV[i + 5])], ARGV[i + 6], ARGV[i + 7])
    end
    if kind == 'activity' then return saveActivity(a, b, ARGV[i + 5], ARGV[i + 6], ARGV[i + 7]) end
    return setBadge(offset, a, ARGV[i + 6])
end
