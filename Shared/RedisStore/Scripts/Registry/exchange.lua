#!lua flags=allow-oom
-- Libraries: openBucket
-- Replaces the value of a field if it is the expected one. An empty new value removes the field.
--
-- KEYS: bucket. ARGV: generation, field, expected value, new value. Returns the value in force; false if the bucket
-- is not open.

local found = redis.call('HGET', KEYS[1], ARGV[2]) or ''
if found ~= ARGV[3] then return found end
if ARGV[4] == '' then
    redis.call('HDEL', KEYS[1], ARGV[2])
else
    redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
end
return ARGV[4]
