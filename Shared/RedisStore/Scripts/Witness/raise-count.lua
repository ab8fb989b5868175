#!lua flags=allow-oom
-- KEYS: witness. ARGV: newest known format. Returns the raised count, or the format of the store as a negative number
-- if it is newer.

local format = tonumber(redis.call('HGET', KEYS[1], 'format') or 0)
if format > tonumber(ARGV[1]) then return -format end
return redis.call('HINCRBY', KEYS[1], 'count', 1)
