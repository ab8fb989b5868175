#!lua
-- Libraries: ready
-- Replaces the value of a field, unless it has another value than expected; empty for none.
--
-- KEYS: header, a hash. ARGV: generation, field, the expected value, the new value.
-- Returns 1 if it was replaced, else 0.

if (redis.call('HGET', KEYS[2], ARGV[2]) or '') ~= ARGV[3] then return 0 end
if ARGV[4] == '' then
    redis.call('HDEL', KEYS[2], ARGV[2])
else
    redis.call('HSET', KEYS[2], ARGV[2], ARGV[4])
end
return 1
