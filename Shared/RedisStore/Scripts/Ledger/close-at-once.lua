-- The most frequent closing: of a task with one segment. What it returns is all that is to be summed up, and the script
-- ends here, before it defines what other closings need. KEYS and ARGV are those of `finish-task.lua`.

-- Of 16 bits each in a segment, of 32 bits each in a task.
local function widened(counts)
    return struct.pack('<IIIIIIIIIII', struct.unpack('<HHHHHHHHHHH', counts))
end

-- The task with these fields is open, and this is its only segment.
local function hasOnly(segment, fields)
    if not fields[1] or fields[3] or fields[4] or fields[5] ~= (fields[6] or '0') then return false end
    if redis.call('EXISTS', KEYS[4]) == 1 then return false end
    local open = redis.call('SMEMBERS', KEYS[3])
    return #open == 1 and open[1] == segment
end

if #ARGV == 7 then
    local fields = redis.call(
        'HMGET', KEYS[1], 'plan', 'cancelled', 'closed', 'restoring', 'jobs', 'resolved', 'unmatched')
    if hasOnly(ARGV[4], fields) then
        local totals, closed = widened(ARGV[5]), string.format('%.0f', now)
        local values = {'closed', closed, 'totals', totals}
        local further = {segments = ARGV[3] == '1' and ARGV[4] or '', providers = ARGV[6], reasons = ARGV[7]}
        for name, value in pairs(further) do
            if value ~= '' then values[#values + 1], values[#values + 2] = name, value end
        end
        redis.call('HSET', KEYS[1], unpack(values))
        redis.call('DEL', KEYS[3])
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        return {
            fields[1], fields[6] or '0', fields[2] and 1 or 0, closed, totals, {}, {}, ARGV[6], fields[7] or '0',
            ARGV[7]
        }
    end
end
