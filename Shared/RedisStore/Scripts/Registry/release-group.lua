#!lua flags=allow-oom
-- Libraries: ready
-- Ends the reservation of a name by a group. KEYS: header, the reservation. ARGV: generation, id.

if redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('DEL', KEYS[2]) end
return 0
