#!lua
-- Libraries: clock, statisticsBounds, sums
-- Adds a closed task to its day and its hour, once.
--
-- KEYS: folded tasks; then of the day, and of the hour if it is kept: total, topics, names of labels, and one for each
-- label of the task. ARGV: now, task, time of its closing, expiry of the day, expiry of the hour or empty, number of
-- labels, what stands for values beyond the bound, the names of the labels, then for each part the number of its key in
-- a period, its field, and tasks and outcomes.
-- Returns 1 if the task was added, 0 if it was before.
--
-- A value is the sums of tasks and of each outcome. The field `since` of the day's total is the time of its first task.

local labels = tonumber(ARGV[6])
local oldest = now - STATISTICS_MEMORY

-- What was closed before the tasks that are remembered is missing only from a day that was lost, and began anew.
local function isForgotten()
    if tonumber(ARGV[3]) >= oldest then return false end
    local since = redis.call('HGET', KEYS[2], 'since')
    return since and tonumber(since) < oldest
end

local function addToPeriod(first, expiry)
    local isCounted = countedKeys(first, labels, 7)
    for at = 8 + labels, #ARGV, 3 do
        local number = tonumber(ARGV[at])
        if isCounted[number] then
            addSums(KEYS[first + number - 1], ARGV[at + 1], ARGV[at + 2], number > 1 and ARGV[7])
        end
    end
    expirePeriod(first, labels, expiry)
end

if isForgotten() or redis.call('HSETNX', KEYS[1], ARGV[2], '') == 0 then return 0 end
-- An hour more, for the differences of clocks.
redis.call('PEXPIRE', KEYS[1], STATISTICS_MEMORY + 3600000)
redis.call('HSETNX', KEYS[2], 'since', string.format('%.0f', now))
addToPeriod(2, ARGV[4])
if ARGV[5] ~= '' then addToPeriod(5 + labels, ARGV[5]) end
return 1
