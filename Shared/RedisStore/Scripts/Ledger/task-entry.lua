-- Enters a segment in a task before its first device is marked. KEYS: task, jobs, open segments. ARGV: segment, its
-- app.

-- Returns plan and 1 if the task is cancelled; false if no device may be marked.
local function enter()
    local fields = redis.call('HMGET', KEYS[1], 'plan', 'jobs', 'resolved', 'cancelled', 'closed', 'restoring')
    if not fields[1] or fields[5] or fields[6] then return false end
    if string.sub(fields[1], 2, 1 + string.byte(fields[1])) ~= ARGV[2] then return false end
    if redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 0 then
        -- All jobs are resolved, so every mark is made. A mark that comes now is a repeated one, and the segment may be
        -- closed and its ledger expired.
        if fields[2] == (fields[3] or '0') then return false end
        redis.call('SADD', KEYS[3], ARGV[1])
    end
    return {fields[1], fields[4] and 1 or 0}
end
