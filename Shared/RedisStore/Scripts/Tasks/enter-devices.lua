#!lua
-- Libraries: clock
-- Enters a closed task under its devices.
--
-- KEYS: tasks of the devices of a bucket. ARGV: now, task, time of its closing, milliseconds for which a task is
-- remembered, tasks remembered for a device, offsets of the devices. Returns 1.
--
-- A value is the task (16 bytes) and the time in milliseconds (u48) of each entry, the one that was closed first before
-- the others.

local ENTRY_BYTES = 22
local closed, retention, maximum = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

-- The entries with the task in its place; nil if they have it.
local function with(text)
    local entries, place = {}, 1
    for at = 1, #text, ENTRY_BYTES do
        local entry = string.sub(text, at, at + ENTRY_BYTES - 1)
        local time = struct.unpack('<I6', entry, 17)
        if string.sub(entry, 1, 16) == ARGV[2] then return nil end
        if time > now - retention then
            entries[#entries + 1] = entry
            if time <= closed then place = #entries + 1 end
        end
    end
    table.insert(entries, place, ARGV[2] .. struct.pack('<I6', closed))
    return table.concat(entries, '', math.max(1, #entries - maximum + 1))
end

for at = 6, #ARGV do
    local value = with(redis.call('HGET', KEYS[1], ARGV[at]) or '')
    if value then redis.call('HSET', KEYS[1], ARGV[at], value) end
end
redis.call('PEXPIRE', KEYS[1], retention)
return 1
