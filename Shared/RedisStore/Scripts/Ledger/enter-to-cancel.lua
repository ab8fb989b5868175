#!lua flags=allow-oom
-- Libraries: taskEntry
-- Cancels a task, then enters a segment in it.
--
-- KEYS: task, jobs, open segments. ARGV: segment, its app, milliseconds to remember the cancellation without a plan.
-- Returns plan and 1; false if the task is closed or no device may be marked.

if redis.call('HEXISTS', KEYS[1], 'closed') == 1 then return false end
redis.call('HSET', KEYS[1], 'cancelled', 1)
if redis.call('HEXISTS', KEYS[1], 'plan') == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return enter()
