#!lua flags=allow-oom
-- Libraries: retries
-- KEYS: waiting, leased. ARGV: entries. Removes them; of one that is leased and waits, the lease: the other was added
-- later. Returns 1.

for _, member in ipairs(ARGV) do
    if redis.call('ZREM', leased, member) == 0 then redis.call('ZREM', waiting, member) end
end
return 1
