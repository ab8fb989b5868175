#!lua flags=no-writes
-- Libraries: ready
-- KEYS: header, live. ARGV: generation. Returns the number of devices of the segment.

return redis.call('BITCOUNT', KEYS[2])
