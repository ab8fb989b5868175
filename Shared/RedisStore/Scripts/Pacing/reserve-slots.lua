#!lua flags=allow-oom
-- Libraries: clock, slots
-- Reserves slots of a rate that follow each other.
--
-- KEYS: next free slot, reservations of the task (a hash of the time of the first slot by name).
-- ARGV: now, milliseconds for which slots are reserved ahead, name, count, microseconds between two slots.
-- Returns the time of the first slot in milliseconds, or false if the next free one is too far ahead.

local DAY = 86400000

local earlier = redis.call('HGET', KEYS[2], ARGV[3])
if earlier then return tonumber(earlier) end
local slot = nextSlot(now)
if slot - now > ahead then return false end
local after = slot + ARGV[4] * ARGV[5] / 1000
setNextSlot(after)
local first = math.floor(slot)
redis.call('HSET', KEYS[2], ARGV[3], string.format('%.0f', first))
-- The step that reserved may be repeated as long as its devices wait, and for some time after.
local expiry = math.ceil(after - now) + DAY
if redis.call('PTTL', KEYS[2]) < expiry then redis.call('PEXPIRE', KEYS[2], expiry) end
return first
