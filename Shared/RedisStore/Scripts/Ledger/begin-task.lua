#!lua
-- Plans a task with one job, and enters its segments.
--
-- KEYS: task, open segments. ARGV: plan, targeted devices, segments. Returns the plan if the task had one, else 1 if
-- the task is cancelled, 0 if not.

local plan = redis.call('HGET', KEYS[1], 'plan')
if plan then return plan end
redis.call('HSET', KEYS[1], 'plan', ARGV[1], 'jobs', 1, 'meant', ARGV[2])
redis.call('PERSIST', KEYS[1])
if #ARGV > 2 then redis.call('SADD', KEYS[2], unpack(ARGV, 3)) end
return redis.call('HEXISTS', KEYS[1], 'cancelled')
