#!lua flags=allow-oom
-- Keeps a member of a group alive. Members whose time is too far ahead are removed: they joined before the clock was
-- set back.
--
-- KEYS: members. ARGV: member, milliseconds to live. Returns the living members.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit = string.format('%.0f', now + ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. limit, '+inf')
redis.call('ZADD', KEYS[1], limit, ARGV[1])
return redis.call('ZRANGE', KEYS[1], 0, -1)
