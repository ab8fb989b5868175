#!lua flags=no-writes
-- Libraries: ready
-- KEYS: header, a hash. ARGV: generation, then fields. Returns the value of each field, or without fields all fields
-- and values in turn.

if #ARGV == 1 then return redis.call('HGETALL', KEYS[2]) end
return redis.call('HMGET', KEYS[2], unpack(ARGV, 2))
