#!lua
-- Libraries: ready
-- Counts a new segment of an app if its number is the next one.
--
-- KEYS: app. ARGV: generation, segment, 1 to open it for registrations. Returns the number of segments.

local count = tonumber(redis.call('HGET', KEYS[1], 'segments'))
if count ~= tonumber(ARGV[2]) then return count end
redis.call('HSET', KEYS[1], 'segments', count + 1)
if ARGV[3] == '1' then
    local open = redis.call('HGET', KEYS[1], 'open')
    redis.call('HSET', KEYS[1], 'open', open == '' and ARGV[2] or open .. ',' .. ARGV[2])
end
return count + 1
