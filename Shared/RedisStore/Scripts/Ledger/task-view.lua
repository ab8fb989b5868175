-- A task as a whole. KEYS: task, jobs, open segments, sums.

-- Returns plan, resolved jobs, 1 if the task is cancelled, time of closing, totals, open segments, the sums of
-- closed segments, their numbers by provider, the number of list entries without a device, and the numbers by reason;
-- false if there is no plan.
local function view()
    local fields = redis.call(
        'HMGET', KEYS[1], 'plan', 'resolved', 'cancelled', 'closed', 'totals', 'providers', 'unmatched',
        'reasons')
    if not fields[1] then return false end
    -- A closed task has neither.
    local open = fields[4] and {} or redis.call('SMEMBERS', KEYS[3])
    local sums = fields[4] and {} or redis.call('HGETALL', KEYS[4])
    return {
        fields[1], fields[2] or '0', fields[3] and 1 or 0, fields[4] or '', fields[5] or '', open, sums,
        fields[6] or '', fields[7] or '0', fields[8] or ''
    }
end
