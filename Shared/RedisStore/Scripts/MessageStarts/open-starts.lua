#!lua flags=allow-oom
-- Libraries: startsBounds, starts
-- Takes over a partition. KEYS: partition. ARGV: owner. Returns 1 if starts should be counted, else 0.

local owner = redis.call('HGET', key, 'owner')
local counts = redis.call('HLEN', key) - (owner and 1 or 0)
redis.call('HSET', key, 'owner', ARGV[1])
keep()
if counts > 0 or (owner and owner ~= ARGV[1]) then return 1 end
return 0
