#!lua flags=allow-oom
-- Removes a request that had no effect, so that another one may use its key. A request that another holder began may
-- have had an effect: only its lease ends.
--
-- KEYS: request. ARGV: now, fingerprint, holder.

local kept = redis.call('HMGET', KEYS[1], 'holder', 'first')
if kept[1] ~= ARGV[3] then return end
if kept[2] == ARGV[3] then
    redis.call('DEL', KEYS[1])
else
    redis.call('HSET', KEYS[1], 'end', 0)
end
