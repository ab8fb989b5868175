#!lua flags=allow-oom
-- Libraries: clock
-- KEYS: waiting, leased. ARGV: now. Returns the number of entries, the time, and the next due time or end of a lease if
-- there is one.

local next = nil
for _, key in ipairs(KEYS) do
    local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
    local moment = tonumber(first[2])
    if moment and (not next or moment < next) then next = moment end
end
return {redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[2]), now, next}
