#!lua flags=allow-oom
-- Marks a job as resolved. The bitmap of jobs is removed with the last one.
--
-- KEYS: task, jobs. ARGV: job, its list entries without a device. Returns the number of jobs if the job does not exist,
-- else false.

local fields = redis.call('HMGET', KEYS[1], 'jobs', 'resolved')
local jobs, resolved = tonumber(fields[1]), tonumber(fields[2] or '0')
if not jobs or resolved == jobs then return false end
if tonumber(ARGV[1]) < 0 or tonumber(ARGV[1]) >= jobs then return jobs end
if jobs > 1 and redis.call('SETBIT', KEYS[2], ARGV[1], 1) == 1 then return false end
if ARGV[2] ~= '0' then redis.call('HINCRBY', KEYS[1], 'unmatched', ARGV[2]) end
redis.call('HSET', KEYS[1], 'resolved', resolved + 1)
if resolved + 1 == jobs then
    redis.call('DEL', KEYS[2])
    redis.call('HDEL', KEYS[1], 'meant')
end
return false
