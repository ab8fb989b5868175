#!lua flags=allow-oom
-- Libraries: startsBounds, starts
-- Counts a start of each message if no earlier start of any of them is counted.
--
-- KEYS: partition. ARGV: 1 to count regardless of earlier starts, offsets. Returns the earlier counts.

local counts, isNew = {}, true
for at = 2, #ARGV do
    local count = tonumber(redis.call('HGET', key, ARGV[at]) or '0')
    counts[at - 1] = count
    if count > 0 then isNew = false end
end
if isNew or ARGV[1] == '1' then
    for at = 2, #ARGV do redis.call('HINCRBY', key, ARGV[at], 1) end
    keep()
end
return counts
