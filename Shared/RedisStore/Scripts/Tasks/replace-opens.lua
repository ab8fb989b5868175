#!lua
-- Replaces the record of a user's opens, unless it was changed since it was read.
--
-- KEYS: records of some users. ARGV: user, record as it was read, next record; each empty for none. Returns 1 if it was
-- replaced, else 0.

if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
    redis.call('HDEL', KEYS[1], ARGV[1])
else
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 1
