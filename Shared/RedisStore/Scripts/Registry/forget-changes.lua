#!lua flags=allow-oom
-- Libraries: ready
-- Forgets that counts have changed, unless they did again. KEYS: header, changed topics, then counts. ARGV: generation,
-- then for each topic the position of its counts, its number and the count that was recorded.

for at = 2, #ARGV, 3 do
    local number = ARGV[at + 1]
    if redis.call('HGET', KEYS[tonumber(ARGV[at])], number) == ARGV[at + 2] then
        redis.call('HDEL', KEYS[2], number)
    end
end
return 0
