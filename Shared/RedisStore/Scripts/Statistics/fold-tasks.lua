#!lua
-- Libraries: clock, statisticsBounds, sums
-- Adds closed tasks to their day and their hour, each once.
--
-- KEYS: of the day, and of the hour if it is kept: total, topics, names of labels, and one for each label of the tasks;
-- then for each task the folded tasks among which it is remembered. ARGV: now, expiry of the day, expiry of the hour or
-- empty, number of labels, what stands for values beyond the bound, the names of the labels, then for each task the
-- task, time of its closing, number of its parts, and for each part the number of its key in a period, its field, and
-- tasks and outcomes.
-- Returns for each task 1 if it was added, 0 if it was before.
--
-- A value is the sums of tasks and of each outcome. The field `since` of the day's total is the time of its first task.

local labels, other = tonumber(ARGV[4]), ARGV[5]
local oldest, periodKeys = now - STATISTICS_MEMORY, 3 + labels
local since = redis.call('HGET', KEYS[1], 'since')
-- The parts of all added tasks, those of one key and field together.
local parts, places, flags = {}, {}, {}

-- What was closed before the tasks that are remembered is missing only from a day that was lost, and began anew.
local function isForgotten(closed)
    return closed < oldest and since and tonumber(since) < oldest
end

-- An hour more, for the differences of clocks.
local function isNew(memory, task)
    if redis.call('HSETNX', memory, task, '') == 0 then return false end
    redis.call('PEXPIRE', memory, STATISTICS_MEMORY + 3600000)
    return true
end

local function addPart(at)
    local name = ARGV[at] .. ' ' .. ARGV[at + 1]
    if not places[name] then
        parts[#parts + 1] = {number = tonumber(ARGV[at]), field = ARGV[at + 1], sums = {}}
        places[name] = #parts
    end
    addNumbers(parts[places[name]].sums, ARGV[at + 2])
end

local function addToPeriod(first, expiry)
    local isCounted = countedKeys(first, labels, 5)
    for _, part in ipairs(parts) do
        local number = part.number
        if isCounted[number] then
            addSums(KEYS[first + number - 1], part.field, table.concat(part.sums, ','), number > 1 and other)
        end
    end
    expirePeriod(first, labels, expiry)
end

local at, memory = 6 + labels, ARGV[3] == '' and periodKeys or 2 * periodKeys
while at <= #ARGV do
    local last = at + 2 + 3 * tonumber(ARGV[at + 2])
    memory = memory + 1
    local isAdded = not isForgotten(tonumber(ARGV[at + 1])) and isNew(KEYS[memory], ARGV[at])
    flags[#flags + 1] = isAdded and 1 or 0
    if isAdded then for part = at + 3, last, 3 do addPart(part) end end
    at = last + 1
end
if #parts == 0 then return flags end
if not since then redis.call('HSET', KEYS[1], 'since', string.format('%.0f', now)) end
addToPeriod(1, ARGV[2])
if ARGV[3] ~= '' then addToPeriod(1 + periodKeys, ARGV[3]) end
return flags
