#!lua
-- KEYS: app. ARGV: generation. Creates the app unless this registry has it.

local found = redis.call('HGET', KEYS[1], 'generation')
if found and found > ARGV[1] then return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'} end
if found == ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'segments', 0, 'open', '', 'topics', 0)
