#!lua flags=allow-oom
-- KEYS: a value. ARGV: value, milliseconds to keep it. Sets it unless there is one; returns the value in force.

redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])
