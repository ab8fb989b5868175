-- Applies changes if the device is as the caller read it. KEYS and ARGV: as `commit.lua` says.

local function obstacle()
    local condition, device = ARGV[3], ARGV[6]
    if condition == 'none' then return nil end
    local record = redis.call('HGET', KEYS[tonumber(ARGV[4])], ARGV[5])
    if record and string.byte(record) == RECORD_REMOVED then return COMMIT_GONE end
    if condition == 'absent' then return record and COMMIT_CHANGED end
    if not record then return COMMIT_GONE end
    if condition == 'record' and record ~= device then return COMMIT_CHANGED end
    if condition == 'living' and string.sub(record, 3, 6) ~= device then return COMMIT_GONE end
    if ARGV[7] == '0' then return nil end
    local subscriptions = redis.call('HGET', KEYS[tonumber(ARGV[7])], ARGV[5]) or ''
    return subscriptions ~= ARGV[8] and COMMIT_CHANGED
end

local function commit()
    local found = obstacle()
    if found then return {found} end
    local results = {COMMIT_DONE}
    for i = 9, #ARGV, 8 do
        local result = apply(i)
        if not result then return {COMMIT_TOO_MANY} end
        results[#results + 1] = result
    end
    save()
    return results
end
