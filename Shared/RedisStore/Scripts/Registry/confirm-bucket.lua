#!lua
-- Opens a bucket that the app notes. KEYS: bucket. ARGV: generation. Returns 1.

if redis.call('HGET', KEYS[1], 'g') == '?' .. ARGV[1] then redis.call('HSET', KEYS[1], 'g', ARGV[1]) end
return 1
