#!lua flags=no-writes
-- Libraries: ready
-- KEYS: header, counted offsets, then counts. ARGV: generation, then for each topic the position of its counts and its
-- number. Returns partitions and offsets in turn, then the count of each topic or false, all of one moment.

local answer = {redis.call('HGETALL', KEYS[2])}
for at = 2, #ARGV, 2 do
    answer[#answer + 1] = redis.call('HGET', KEYS[tonumber(ARGV[at])], ARGV[at + 1])
end
return answer
