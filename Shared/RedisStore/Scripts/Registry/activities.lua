-- Facts about Live Activities: a hash of kind and activity to the record, and a sorted set of the activities by the
-- time of their bases.

-- An empty record removes the fact.
local function saveActivity(facts, times, time, field, record)
    write(facts, field, record ~= '' and record)
    if string.sub(field, 1, 2) ~= 'b:' then return 0 end
    local activity = string.sub(field, 3)
    if record == '' then
        redis.call('ZREM', times, activity)
    else
        redis.call('ZADD', times, time, activity)
    end
    return 0
end
