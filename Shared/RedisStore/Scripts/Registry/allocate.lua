#!lua
-- Libraries: ready
-- KEYS: header. ARGV: generation, number of offsets. Returns the first allocated offset and the number of offsets,
-- which is smaller if the segment is nearly full.

local next = tonumber(redis.call('HGET', KEYS[1], 'next'))
local count = math.min(tonumber(ARGV[2]), 4096 - next)
redis.call('HSET', KEYS[1], 'next', next + count)
return {next, count}
