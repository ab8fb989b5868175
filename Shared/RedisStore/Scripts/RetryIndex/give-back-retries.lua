#!lua flags=allow-oom
-- Libraries: retries
-- Ends a lease before its time. An entry that was leased again since is left alone.
--
-- KEYS: waiting, leased. ARGV: end of the lease, entries. Returns 1.

for position = 2, #ARGV do
    local member = ARGV[position]
    local finish = redis.call('ZSCORE', leased, member)
    if finish and tonumber(finish) == tonumber(ARGV[1]) then
        redis.call('ZREM', leased, member)
        await(member)
    end
end
return 1
