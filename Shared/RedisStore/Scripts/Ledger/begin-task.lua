#!lua
-- Plans a task with one job, and enters its segments.
--
-- KEYS: task, open segments. ARGV: plan, targeted devices, list entries without a device, segments. Returns the plan if
-- the task had one, else 1 if the task is cancelled, 0 if not.

local plan = redis.call('HGET', KEYS[1], 'plan')
if plan then return plan end
redis.call('HSET', KEYS[1], 'plan', ARGV[1], 'jobs', 1, 'meant', ARGV[2])
redis.call('PERSIST', KEYS[1])
if ARGV[3] ~= '0' then redis.call('HSET', KEYS[1], 'unmatched', ARGV[3]) end
if #ARGV > 3 then redis.call('SADD', KEYS[2], unpack(ARGV, 4)) end
return redis.call('HEXISTS', KEYS[1], 'cancelled')
