#!lua
-- Libraries: clock, failingServerBounds
-- Without `allow-oom`: nothing that is sent depends on it.
--
-- KEYS: failing servers of an app, a hash: server -> time in milliseconds at which it is tried again. ARGV: now, then
-- each server and the time left. Returns 1.

local key = KEYS[1]
local known, count, last = {}, 0, now

local fields = redis.call('HGETALL', key)
for at = 1, #fields, 2 do
    local finish = tonumber(fields[at + 1])
    if finish and now < finish + FAILING_SERVER_MEMORY then
        known[fields[at]] = finish
        count = count + 1
        last = math.max(last, finish)
    else
        redis.call('HDEL', key, fields[at])
    end
end

for at = 2, #ARGV, 2 do
    local server = ARGV[at]
    if known[server] or count < FAILING_SERVERS then
        if not known[server] then count = count + 1 end
        local finish = math.max(known[server] or 0, now + ARGV[at + 1])
        known[server] = finish
        last = math.max(last, finish)
        redis.call('HSET', key, server, string.format('%.0f', finish))
    end
end
redis.call('PEXPIRE', key, math.ceil(last - now) + FAILING_SERVER_MEMORY)
return 1
