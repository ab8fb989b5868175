-- KEYS[1] holds the time in milliseconds of the next free slot of a rate. It expires a minute after that.

local ahead = tonumber(ARGV[2])

-- Slots before the earliest are lost.
local function nextSlot(earliest)
    local slot = tonumber(redis.call('GET', KEYS[1]) or 0)
    -- Further ahead than slots are given out: the clock was set back.
    if slot - now > 2 * ahead + 60000 then slot = 0 end
    return math.max(slot, earliest)
end

local function setNextSlot(slot)
    redis.call('SET', KEYS[1], string.format('%.3f', slot), 'PX', math.ceil(slot - now) + 60000)
end
