#!lua
-- Libraries: clock, statisticsBounds
-- Adds a closed task to its day and its hour, once.
--
-- KEYS: folded tasks; then of the day, and of the hour if it is kept: total, topics, names of labels, and one for each
-- label of the task. ARGV: now, task, time of its closing, expiry of the day, expiry of the hour or empty, number of
-- labels, what stands for values beyond the bound, the names of the labels, then for each part the place of its key in
-- a period, its field, and tasks and outcomes.
-- Returns 1 if the task was added, 0 if it was before.
--
-- A value is the sums of tasks and of each outcome in decimal, separated by commas; zeros at the end may be left
-- out. The field `since` of the day's total is the time of its first task.

local labels = tonumber(ARGV[6])
local keysOfPeriod = 3 + labels
local oldest = now - STATISTICS_MEMORY

-- What was closed before the tasks that are remembered is missing only from a day that was lost, and began anew.
local function isForgotten()
    if tonumber(ARGV[3]) >= oldest then return false end
    local since = redis.call('HGET', KEYS[2], 'since')
    return since and tonumber(since) < oldest
end

-- Beyond the bound of values the field of all others is taken.
local function add(key, field, counts, isBounded)
    local known = redis.call('HGET', key, field)
    if not known and isBounded and redis.call('HLEN', key) >= STATISTICS_VALUES then
        field = ARGV[7]
        known = redis.call('HGET', key, field)
    end
    local sums, place = {}, 0
    for sum in string.gmatch(known or '', '%d+') do sums[#sums + 1] = sum end
    for count in string.gmatch(counts, '%d+') do
        place = place + 1
        sums[place] = string.format('%.0f', tonumber(sums[place] or 0) + tonumber(count))
    end
    redis.call('HSET', key, field, table.concat(sums, ','))
end

-- False for a name beyond the bound.
local function enterName(names, name)
    if redis.call('HEXISTS', names, name) == 1 then return true end
    if redis.call('HLEN', names) >= STATISTICS_NAMES then return false end
    redis.call('HSET', names, name, 1)
    return true
end

local function addToPeriod(first, expiry)
    local isCounted = {true, true, true}
    for label = 1, labels do isCounted[3 + label] = enterName(KEYS[first + 2], ARGV[7 + label]) end
    for at = 8 + labels, #ARGV, 3 do
        local place = tonumber(ARGV[at])
        if isCounted[place] then add(KEYS[first + place - 1], ARGV[at + 1], ARGV[at + 2], place > 1) end
    end
    for place = 0, keysOfPeriod - 1 do redis.call('PEXPIREAT', KEYS[first + place], expiry, 'NX') end
end

if isForgotten() or redis.call('HSETNX', KEYS[1], ARGV[2], '') == 0 then return 0 end
-- An hour more, for the differences of clocks.
redis.call('PEXPIRE', KEYS[1], STATISTICS_MEMORY + 3600000)
redis.call('HSETNX', KEYS[2], 'since', string.format('%.0f', now))
addToPeriod(2, ARGV[4])
if ARGV[5] ~= '' then addToPeriod(2 + keysOfPeriod, ARGV[5]) end
return 1
