#!lua flags=allow-oom
-- Libraries: clock
-- Leases queues that are due. KEYS: due apps, leased apps. ARGV: now, maximum number of apps, lease in milliseconds.
-- Returns the apps.

local apps = redis.call('ZRANGE', KEYS[1], '-inf', string.format('%.0f', now), 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, app in ipairs(apps) do
    for key = 1, 2 do redis.call('ZADD', KEYS[key], string.format('%.0f', now + ARGV[3]), app) end
end
return apps
