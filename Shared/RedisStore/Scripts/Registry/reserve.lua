#!lua
-- Libraries: openBucket
-- Sets a field unless it has a value. KEYS: bucket. ARGV: generation, field, value.
-- Returns the value in force; false if the bucket is not open.

local found = redis.call('HGET', KEYS[1], ARGV[2])
if found then return found end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return ARGV[3]
