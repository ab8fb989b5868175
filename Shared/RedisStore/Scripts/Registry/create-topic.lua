#!lua
-- Creates the key for a topic that has just got its number. KEYS: segments of the topic. ARGV: generation. Returns 1.

local found = redis.call('HGET', KEYS[1], 'g')
if found and found > ARGV[1] then return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'} end
if found ~= ARGV[1] then
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], 'g', ARGV[1])
end
return 1
