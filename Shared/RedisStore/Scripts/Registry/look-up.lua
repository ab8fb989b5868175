#!lua flags=no-writes
-- Libraries: openBucket
-- KEYS: bucket. ARGV: generation, field. Returns the value, empty if missing; false if the bucket is not open.

return redis.call('HGET', KEYS[1], ARGV[2]) or ''
