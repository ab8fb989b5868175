#!lua flags=allow-oom
-- Libraries: clock, states, taskView, reasonsBounds, reasons
-- Adds the counts of closed segments to a task. Closes the task if all jobs are resolved and no segment is open.
--
-- KEYS: task, jobs, open segments, sums. ARGV: now, milliseconds to keep the task, 1 to keep the list of its segments,
-- then segment, final counts, numbers by provider and numbers by reason in turn. Returns the view of the task.

-- By provider and state.
local devices = {}
local ends = newReasons()

local function addProviders(text)
    for at = 1, #text, 6 do
        local provider, state, count = struct.unpack('<BBI', text, at)
        devices[provider] = devices[provider] or {}
        devices[provider][state] = (devices[provider][state] or 0) + count
    end
end

local function saveProviders()
    local list = {}
    for provider, counts in pairs(devices) do
        for state, count in pairs(counts) do list[#list + 1] = struct.pack('<BBI', provider, state, count) end
    end
    if #list > 0 then redis.call('HSET', KEYS[1], 'providers', table.concat(list)) end
end

-- A segment that was closed before is not added again.
local function addSegments()
    addProviders(redis.call('HGET', KEYS[1], 'providers') or '')
    addPackedReasons(ends, redis.call('HGET', KEYS[1], 'reasons') or '')
    for at = 4, #ARGV, 4 do
        if redis.call('HSET', KEYS[4], ARGV[at], ARGV[at + 1]) == 1 then
            addProviders(ARGV[at + 2])
            addPackedReasons(ends, ARGV[at + 3])
        end
        redis.call('SREM', KEYS[3], ARGV[at])
    end
    saveProviders()
    if #ends.list > 0 then redis.call('HSET', KEYS[1], 'reasons', packReasons(ends)) end
end

local function sumTotals()
    local totals = {}
    for state = STATE_TARGETED, STATE_UNKNOWN do totals[state] = 0 end
    for _, text in ipairs(redis.call('HVALS', KEYS[4])) do
        local counts = {struct.unpack('<HHHHHHHHHHH', text)}
        for state = STATE_TARGETED, STATE_UNKNOWN do totals[state] = totals[state] + counts[state] end
    end
    return struct.pack('<IIIIIIIIIII', unpack(totals))
end

local function close()
    redis.call('HSET', KEYS[1], 'closed', string.format('%.0f', now), 'totals', sumTotals())
    if ARGV[3] == '1' then
        redis.call('HSET', KEYS[1], 'segments', table.concat(redis.call('HKEYS', KEYS[4]), ','))
    end
    redis.call('DEL', KEYS[4])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
end

local done = redis.call('HMGET', KEYS[1], 'closed', 'restoring')
if not done[1] and not done[2] then
    addSegments()
    local fields = redis.call('HMGET', KEYS[1], 'jobs', 'resolved')
    if fields[1] == (fields[2] or '0') and redis.call('EXISTS', KEYS[3]) == 0 then close() end
end
return view()
