#!lua flags=allow-oom
-- Libraries: ready
-- KEYS: header, devices. ARGV: generation, field, mark. Removes the mark if it is unchanged; returns 1 if it was
-- removed.

if redis.call('HGET', KEYS[2], ARGV[2]) ~= ARGV[3] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'marks', -1)
return 1
