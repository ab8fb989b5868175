-- The last pushes to devices under a cap: a hash for each bucket. Field: offset in the bucket. Value: for each push the
-- second in which a sender first claimed the device, rounded up, as u32 in rising order. The key expires a period after
-- its last push.

local capCount, capPeriod = tonumber(ARGV[10]), tonumber(ARGV[11])
-- A later time was stored before the clock was set back.
local CLOCK_TOLERANCE = 60000
local renewedKey

-- When the period that begins with a push is over.
local function periodEnd(times, index)
    return struct.unpack('<I4', times, 4 * index + 1) * 1000 + capPeriod
end

-- The times that count.
local function timesWithin(times)
    local low, high, behind = 0, #times / 4, #times / 4
    while low < high do
        local middle = floor((low + high) / 2)
        if periodEnd(times, middle) > now then high = middle else low = middle + 1 end
    end
    while behind > low and periodEnd(times, behind - 1) > now + capPeriod + CLOCK_TOLERANCE do behind = behind - 1 end
    return string.sub(times, 4 * low + 1, 4 * behind)
end

local function renew(key)
    if renewedKey == key then return end
    renewedKey = key
    -- Not for every claim; and another cap of the same app may have a longer period.
    if redis.call('PTTL', key) > capPeriod + CLOCK_TOLERANCE + 1000 then return end
    redis.call('PEXPIRE', key, capPeriod + 2 * CLOCK_TOLERANCE)
end

-- Counts the first claim of a device. Returns nil, or when the device may get its next push, if it may get none now.
local function countPush(offset)
    if not hasCap then return nil end
    local key, field = KEYS[bucketKey + bucketKeys - 1], offset % 128
    local times = timesWithin(redis.call('HGET', key, field) or '')
    local count = #times / 4
    if count >= capCount then return periodEnd(times, count - capCount) end
    local second = math.ceil(now / 1000)
    if count > 0 then second = math.max(second, (struct.unpack('<I4', times, #times - 3))) end
    redis.call('HSET', key, field, times .. struct.pack('<I4', second))
    renew(key)
    return nil
end
