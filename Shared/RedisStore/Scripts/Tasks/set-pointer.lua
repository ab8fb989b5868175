#!lua flags=allow-oom
-- Sets the pointer of a key unless it was changed since it was read. Works at the memory limit, so that swaps under way
-- can complete; ingest refuses new ones before.
--
-- KEYS: pointer. ARGV: the generation that was read, or 0 for none; value; time at which it expires. Returns 1 if it is
-- set, else 0.

local generation = redis.call('HGET', KEYS[1], 'generation') or '0'
if generation ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'generation', string.format('%.0f', generation + 1), 'value', ARGV[2])
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return 1
