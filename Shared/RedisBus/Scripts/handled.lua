-- What every group has handled of a partition: the offset and the bytes below it; nil without groups.

local function handledByAll(state)
    local fields = redis.call('HGETALL', state)
    local done, passed
    for i = 1, #fields, 2 do
        local value = tonumber(fields[i + 1])
        if string.sub(fields[i], 1, 5) == 'done:' and (not done or value < done) then done = value end
        if string.sub(fields[i], 1, 7) == 'passed:' and (not passed or value < passed) then passed = value end
    end
    return done, passed
end
