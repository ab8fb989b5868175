#!lua
-- Libraries: ready, records, fields, lists, members, subscriptions, purges, topicCounts, transfers, activities, changes
-- Applies records of the registry's log. Changes below the offset that the segment has applied are skipped.
--
-- KEYS: as `commit.lua`. ARGV: as `commit.lua`, but 3 is `log`, 4 is the offset that the segment must have applied or
-- empty, and 5 to 8 are empty. With ARGV[4] the scripts for successive records can be sent without waiting for each
-- other.
-- Returns, for each change that found a record, the position of the change, from 0, and the record.

local applied = tonumber(redis.call('HGET', KEYS[1], 'applied'))
local next = tonumber(redis.call('HGET', KEYS[1], 'next'))
if applied < (tonumber(ARGV[4]) or 0) then
    return {err = 'OUTOFTURN ' .. KEYS[1] .. ' has not applied what comes before'}
end
local found = {}
for i = 9, #ARGV, 8 do
    local position = tonumber(ARGV[i + 1])
    if position >= applied then
        local old = apply(i)
        if type(old) == 'string' and old ~= '' then
            found[#found + 1] = (i - 9) / 8
            found[#found + 1] = old
        end
        applied = position + 1
        next = math.max(next, tonumber(ARGV[i + 2]) + 1)
    end
end
save()
redis.call('HSET', KEYS[1], 'applied', string.format('%.0f', applied), 'next', next)
return found
