#!lua flags=allow-oom
-- Libraries: clock
-- Leases queues that are due. KEYS: due queues, leased queues. ARGV: now, maximum number of queues, lease in
-- milliseconds. Returns the queues.

local queues = redis.call('ZRANGE', KEYS[1], '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, queue in ipairs(queues) do
    for key = 1, 2 do redis.call('ZADD', KEYS[key], string.format('%.0f', now + ARGV[3]), queue) end
end
return queues
