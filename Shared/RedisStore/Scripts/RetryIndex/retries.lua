-- KEYS[1] is the set of waiting entries by due time, KEYS[2] that of leased entries by the end of the lease. Times
-- are in milliseconds. An entry begins with its due time as u48.

local waiting, leased = KEYS[1], KEYS[2]

local function number(value) return string.format('%.0f', value) end

local function await(member)
    local due = struct.unpack('<I6', member)
    redis.call('ZADD', waiting, number(due), member)
end
