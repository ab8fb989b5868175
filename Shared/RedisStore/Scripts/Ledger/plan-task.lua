#!lua
-- Writes the plan of a task unless it has one. The bitmap of several jobs gets its full size, so that resolving a job
-- needs no further memory.
--
-- KEYS: task, jobs. ARGV: plan, number of jobs. Returns the plan in force.

local plan = redis.call('HGET', KEYS[1], 'plan')
if plan then return plan end
redis.call('HSET', KEYS[1], 'plan', ARGV[1], 'jobs', ARGV[2])
redis.call('PERSIST', KEYS[1])
if tonumber(ARGV[2]) > 1 then redis.call('SETBIT', KEYS[2], ARGV[2] - 1, 0) end
return ARGV[1]
