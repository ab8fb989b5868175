#!lua flags=allow-oom
-- KEYS: lease, state. ARGV: group, fence. Returns 1 if the lease is removed, else 0.

if redis.call('HGET', KEYS[2], 'fence:' .. ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('DEL', KEYS[1])
