#!lua flags=allow-oom
-- Libraries: clock, states, closeAtOnce, taskView, reasonsBounds, reasons
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

local function packProviders()
    local list = {}
    for provider, counts in pairs(devices) do
        for state, count in pairs(counts) do list[#list + 1] = struct.pack('<BBI', provider, state, count) end
    end
    return table.concat(list)
end

-- A segment that was closed before is not added again.
local function addSegments(providers, reasons)
    addProviders(providers or '')
    addPackedReasons(ends, reasons or '')
    for at = 4, #ARGV, 4 do
        if redis.call('HSET', KEYS[4], ARGV[at], ARGV[at + 1]) == 1 then
            addProviders(ARGV[at + 2])
            addPackedReasons(ends, ARGV[at + 3])
        end
        redis.call('SREM', KEYS[3], ARGV[at])
    end
    local sums = {}
    for name, packed in pairs({providers = packProviders(), reasons = packReasons(ends)}) do
        if packed ~= '' then sums[#sums + 1], sums[#sums + 2] = name, packed end
    end
    if #sums > 0 then redis.call('HSET', KEYS[1], unpack(sums)) end
end

-- The segments, and the sums of their counts.
local function sumUp()
    local totals, segments = {}, {}
    for state = STATE_TARGETED, STATE_UNKNOWN do totals[state] = 0 end
    local sums = redis.call('HGETALL', KEYS[4])
    for at = 1, #sums, 2 do
        segments[#segments + 1] = sums[at]
        local counts = {struct.unpack('<HHHHHHHHHHH', sums[at + 1])}
        for state = STATE_TARGETED, STATE_UNKNOWN do totals[state] = totals[state] + counts[state] end
    end
    return segments, struct.pack('<IIIIIIIIIII', unpack(totals))
end

local function close()
    local segments, totals = sumUp()
    local list = ARGV[3] == '1' and {'segments', table.concat(segments, ',')} or {}
    redis.call('HSET', KEYS[1], 'closed', string.format('%.0f', now), 'totals', totals, unpack(list))
    redis.call('DEL', KEYS[4])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
end

local fields = redis.call('HMGET', KEYS[1], 'closed', 'restoring', 'providers', 'reasons', 'jobs', 'resolved')
if not fields[1] and not fields[2] then
    addSegments(fields[3], fields[4])
    if fields[5] == (fields[6] or '0') and redis.call('EXISTS', KEYS[3]) == 0 then close() end
end
return view()
