#!lua flags=allow-oom
-- KEYS: task, open segments. ARGV: segment. Returns 1, or 0 if the task is not being restored.

if redis.call('HEXISTS', KEYS[1], 'restoring') == 0 then return 0 end
redis.call('SADD', KEYS[2], ARGV[1])
return 1
