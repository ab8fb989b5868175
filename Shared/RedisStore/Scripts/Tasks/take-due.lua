#!lua flags=allow-oom
-- Libraries: clock
-- Leases tasks that are due. KEYS: agenda. ARGV: now, maximum number of tasks, lease in milliseconds. Returns the
-- tasks.

local due = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, task in ipairs(due) do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), task) end
return due
