#!lua flags=allow-oom
-- Libraries: clock, retries
-- Returns entries with expired leases to the waiting ones, then leases entries that are due.
--
-- KEYS: waiting, leased. ARGV: now, maximum number of entries, lease. Returns the time, the end of the lease and the
-- entries.

local count, finish = ARGV[2], now + ARGV[3]
for _, member in ipairs(redis.call('ZRANGEBYSCORE', leased, '-inf', number(now), 'LIMIT', 0, count)) do
    redis.call('ZREM', leased, member)
    await(member)
end
local due = redis.call('ZRANGEBYSCORE', waiting, '-inf', number(now), 'LIMIT', 0, count)
for _, member in ipairs(due) do
    redis.call('ZREM', waiting, member)
    redis.call('ZADD', leased, number(finish), member)
end
return {now, finish, due}
