-- Detects a log that is not the one that was read: the recorded progress has gone back, or the entry read last, by
-- offset and time, is missing though nothing removed it. A log that is shorter than what was read is reported by its
-- length.

local function isRewritten(state, log, group, recorded, offset, time)
    if offset ~= '' and tonumber(redis.call('HGET', state, 'next') or '0') < tonumber(offset) then return false end
    if tonumber(redis.call('HGET', state, 'done:' .. group) or '0') < tonumber(recorded) then return true end
    -- If it is the newest one, the state names it too, and its bytes are not read.
    if offset == '' or redis.call('HGET', state, 'last') == offset .. ' ' .. time then return false end
    local entry = redis.call('XRANGE', log, offset .. '-0', offset .. '-0')[1]
    if entry then return entry[2][6] ~= time end
    return tonumber(redis.call('HGET', state, 'removed') or '0') < tonumber(offset)
end
