#!lua flags=allow-oom
-- Begins to restore a lost task. While the field `restoring` exists, no device of the task is marked and no segment
-- closed.
--
-- KEYS: task. ARGV: plan. Returns 1, or 0 if the task has a plan that was not lost.

local fields = redis.call('HMGET', KEYS[1], 'plan', 'restoring')
if fields[1] and not fields[2] then return 0 end
redis.call('HSET', KEYS[1], 'plan', ARGV[1], 'jobs', 1, 'resolved', 1, 'restoring', 1)
redis.call('PERSIST', KEYS[1])
return 1
