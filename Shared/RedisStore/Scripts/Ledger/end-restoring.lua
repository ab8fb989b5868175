#!lua flags=allow-oom
-- KEYS: task. ARGV: plan with all jobs resolved. Returns 1.

if redis.call('HDEL', KEYS[1], 'restoring') == 1 then redis.call('HSET', KEYS[1], 'plan', ARGV[1]) end
return 1
