#!lua flags=allow-oom
-- Libraries: ready, fields, topicCounts
-- Counts publications of one partition, once each. It runs even if Redis is full: a publication is sent, and counted.
--
-- KEYS: header, counted offsets, changed topics, then counts. ARGV: generation, partition, then for each publication
-- its offset, the position of its counts, the number of its topic, its time in milliseconds. Returns the number of
-- those that were counted.

local partition = ARGV[2]
local counted = tonumber(redis.call('HGET', KEYS[2], partition) or 0)
local done = 0
for at = 3, #ARGV, 4 do
    local offset = tonumber(ARGV[at])
    local counts, number = KEYS[tonumber(ARGV[at + 1])], ARGV[at + 2]
    if offset >= counted then
        counted = offset + 1
        local count = read(counts, number)
        if not count or not isBelow(count, partition, offset) then
            write(counts, number, published(count, ARGV[at + 3]))
            write(KEYS[3], number, '')
            done = done + 1
        end
    end
end
save()
redis.call('HSET', KEYS[2], partition, string.format('%.0f', counted))
return done
