#!lua flags=allow-oom
-- KEYS: count. ARGV: wanted number of partitions. Returns the number of partitions, which the first caller sets.

local count = redis.call('GET', KEYS[1])
if count then return count end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
