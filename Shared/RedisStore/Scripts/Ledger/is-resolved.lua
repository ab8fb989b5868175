#!lua flags=no-writes
-- KEYS: task, jobs. ARGV: job. Returns 1 if the job is resolved, else 0; false if there is no plan.
--
-- If all jobs are resolved, any job number counts as resolved: the plan of a restored task does not contain the
-- original number of jobs.

local fields = redis.call('HMGET', KEYS[1], 'jobs', 'resolved')
local jobs, job = tonumber(fields[1] or '-1'), tonumber(ARGV[1])
if jobs < 0 then return false end
if tonumber(fields[2] or '0') == jobs then return 1 end
if job < 0 or job >= jobs then return 0 end
return redis.call('GETBIT', KEYS[2], job)
