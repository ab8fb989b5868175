#!lua
-- Creates a segment unless this registry has it. KEYS: header. ARGV: generation. Returns the next free offset.

local found = redis.call('HGET', KEYS[1], 'generation')
if found and found > ARGV[1] then return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'} end
if found ~= ARGV[1] then
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'next', 0, 'applied', 0)
end
return tonumber(redis.call('HGET', KEYS[1], 'next'))
