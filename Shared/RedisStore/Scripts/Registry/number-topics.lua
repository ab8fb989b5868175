#!lua
-- Libraries: ready
-- KEYS: app. ARGV: generation, number of topics. Returns the last of as many unused topic numbers in a row.

return redis.call('HINCRBY', KEYS[1], 'topics', ARGV[2])
