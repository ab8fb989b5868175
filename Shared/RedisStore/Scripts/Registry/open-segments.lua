#!lua
-- Libraries: ready
-- Sets the segments that are open for registrations. KEYS: app. ARGV: generation, segments separated by commas.

return redis.call('HSET', KEYS[1], 'open', ARGV[2])
