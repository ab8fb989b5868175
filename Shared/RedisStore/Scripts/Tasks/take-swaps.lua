#!lua flags=allow-oom
-- Libraries: clock
-- Leases swaps that are due. KEYS: swaps. ARGV: now, maximum number of swaps, lease in milliseconds. Returns the end of
-- the lease and the swaps.

local finish = now + ARGV[3]
local due = redis.call('ZRANGE', KEYS[1], '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, swap in ipairs(due) do redis.call('ZADD', KEYS[1], string.format('%.0f', finish), swap) end
return {finish, due}
