#!lua flags=allow-oom
-- Libraries: startsBounds, starts
-- Counts a start of each message if no start of another owner is counted for any of them.
--
-- KEYS: partition. ARGV: owner, 1 to count regardless of earlier starts, offsets. Returns the earlier starts of others.

local owners, counts, isNew = {}, {}, true
for at = 3, #ARGV do
    local earlier = others(ARGV[at], ARGV[1])
    owners[at], counts[at - 2] = earlier, count(earlier)
    if counts[at - 2] > 0 then isNew = false end
end
if isNew or ARGV[2] == '1' then
    for at = 3, #ARGV do
        if counts[at - 2] < STARTS_MAXIMUM then
            redis.call('HSET', key, ARGV[at], owners[at] .. ',' .. ARGV[1])
        end
    end
    keep()
end
return counts
