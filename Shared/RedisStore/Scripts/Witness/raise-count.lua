#!lua flags=allow-oom
-- Libraries: witnessBounds
-- Raises the count, and keeps for the process what it raised it to.
--
-- KEYS: witness, its writers (a sorted set, by their last counts). ARGV: newest known format, writer.
-- Returns the raised count, and what this writer raised it to before; if that is not known, the highest count that was
-- forgotten, or 0. If the format of the store is newer, returns it alone, as a negative number.

local format = tonumber(redis.call('HGET', KEYS[1], 'format') or 0)
if format > tonumber(ARGV[1]) then return -format end
local count = redis.call('HINCRBY', KEYS[1], 'count', 1)
local before = redis.call('ZSCORE', KEYS[2], ARGV[2])
if not before then
    if redis.call('ZCARD', KEYS[2]) >= WITNESS_WRITERS then
        local oldest = redis.call('ZPOPMIN', KEYS[2], WITNESS_WRITERS / 4)
        redis.call('HSET', KEYS[1], 'forgotten', oldest[#oldest])
    end
    before = redis.call('HGET', KEYS[1], 'forgotten') or 0
end
redis.call('ZADD', KEYS[2], count, ARGV[2])
return {count, tonumber(before)}
