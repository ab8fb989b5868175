#!lua flags=no-writes
-- Libraries: ready
-- KEYS: header, topics. ARGV: generation, topic number. Returns 1 if no device of the segment is a member, else 0.

return 1 - redis.call('HEXISTS', KEYS[2], ARGV[2])
