#!lua flags=allow-oom
-- Libraries: ready
-- KEYS: registry. ARGV: generation, field, value.

return redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
