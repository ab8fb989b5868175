#!lua flags=allow-oom
-- Libraries: retries
-- KEYS: waiting, leased. ARGV: entries. Returns 1.

for _, member in ipairs(ARGV) do
    if not redis.call('ZSCORE', leased, member) then await(member) end
end
return 1
