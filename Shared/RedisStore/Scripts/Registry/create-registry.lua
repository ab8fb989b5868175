#!lua
-- Creates a registry. Generations rise, so an existing registry is replaced only by a newer one.
--
-- KEYS: registry. ARGV: generation, state, alias buckets, generation to replace, or * for any; empty to keep an
-- existing registry. Returns nil, or the generation of the registry that stays in force.

local found = redis.call('HGET', KEYS[1], 'generation')
local isReplaced = ARGV[4] == '*' or ARGV[4] == found
if found and (not isReplaced or found >= ARGV[1]) then return found end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'state', ARGV[2], 'alias-buckets', ARGV[3])
return nil
