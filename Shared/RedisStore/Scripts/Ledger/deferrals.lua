-- The deferred devices of a segment: a hash. Field: due time in milliseconds as u48, cause u8. Value: time of the last
-- deferral with both as u48, then the ranges of the devices. The field `sums` has for each cause the number of devices:
-- cause u8, number u16, earliest due time u48. The key is absent while no device is deferred.

local DEFERRAL_SUMS = 'sums'

-- The groups of devices, the earliest first.
local function deferralGroups(key)
    local groups = {}
    for _, field in ipairs(redis.call('HKEYS', key)) do
        if field ~= DEFERRAL_SUMS then
            local due, cause = struct.unpack('<I6B', field)
            groups[#groups + 1] = {field = field, due = due, cause = cause}
        end
    end
    table.sort(groups, function(a, b) return a.due < b.due end)
    return groups
end

-- The number of devices by cause.
local function deferralCounts(key)
    local counts, text = {}, redis.call('HGET', key, DEFERRAL_SUMS) or ''
    for at = 1, #text, 9 do
        local cause, count = struct.unpack('<BH', text, at)
        counts[cause] = count
    end
    return counts
end

local function writeDeferralCounts(key, counts)
    local known, parts = {}, {}
    for _, group in ipairs(deferralGroups(key)) do
        if not known[group.cause] then
            known[group.cause] = true
            parts[#parts + 1] = struct.pack('<BHI6', group.cause, counts[group.cause], group.due)
        end
    end
    if #parts == 0 then
        redis.call('DEL', key)
    else
        redis.call('HSET', key, DEFERRAL_SUMS, table.concat(parts))
    end
end

-- Takes the devices out of their groups that `move` has noted. A release takes those of the earliest group, so that
-- the other groups are not read.
local function undefer(key)
    local left, low, high = 0, 4095, 0
    for offset in pairs(undeferred) do left, low, high = left + 1, math.min(low, offset), math.max(high, offset) end
    if left == 0 then return end
    local counts = deferralCounts(key)
    for _, group in ipairs(deferralGroups(key)) do
        local before, kept, text = left, collector(), redis.call('HGET', key, group.field)
        eachRange(string.sub(text, 7), function(from, to)
            kept.addRange(from, math.min(to, low - 1))
            for offset = math.max(from, low), math.min(to, high) do
                if undeferred[offset] then left = left - 1 else kept.add(offset) end
            end
            kept.addRange(math.max(from, high + 1), to)
        end)
        if left < before then
            counts[group.cause] = counts[group.cause] - before + left
            local ranges = kept.text()
            if ranges == '' then
                redis.call('HDEL', key, group.field)
            else
                redis.call('HSET', key, group.field, string.sub(text, 1, 6) .. ranges)
            end
        end
        if left == 0 then break end
    end
    writeDeferralCounts(key, counts)
end
