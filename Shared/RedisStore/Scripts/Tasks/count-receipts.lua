#!lua
-- Libraries: statisticsBounds, sums
-- Counts receipts of one task that were not counted before, and adds them to the sums of the app's day.
--
-- KEYS: counters (a hash of task and kind to count), places (a hash of task to its places); of the sums the total,
-- topics, names of labels, and one for each label of the task; then for each receipt the set of its fingerprint.
-- ARGV: time at which the keys expire, the same for the sums, task, its places, number of labels, number of parts, what
-- stands for values beyond the bound, the names of the labels, for each part the number of its key among the sums and
-- its field, then for each receipt its kind, its fingerprint and the field of its platform.
-- Returns for each receipt 1 if it was counted, 0 if it is a repeat.
--
-- A value is the counts of each kind, in the order of their numbers.

local task, labels, parts = ARGV[3], tonumber(ARGV[5]), tonumber(ARGV[6])
local sums, sets = 3, 5 + labels
local receipts = 7 + labels + 2 * parts
local flags, total, platforms = {}, {0, 0, 0, 0}, {}

for number = 1, #KEYS - sets do
    local at = receipts + 3 * number - 2
    local key, kind, platform = KEYS[sets + number], string.byte(ARGV[at]), ARGV[at + 2]
    flags[number] = redis.call('SADD', key, ARGV[at + 1])
    if flags[number] == 1 then
        redis.call('PEXPIREAT', key, ARGV[1], 'NX')
        platforms[platform] = platforms[platform] or {0, 0, 0, 0}
        platforms[platform][kind] = platforms[platform][kind] + 1
        total[kind] = total[kind] + 1
    end
end
if not next(platforms) then return flags end

for kind, count in ipairs(total) do
    if count > 0 then redis.call('HINCRBY', KEYS[1], task .. string.char(kind), count) end
end
redis.call('HSETNX', KEYS[2], task, ARGV[4])
for number = 1, 2 do redis.call('PEXPIREAT', KEYS[number], ARGV[1], 'NX') end

local counts = table.concat(total, ',')
local isCounted = countedKeys(sums, labels, 7)
addSums(KEYS[sums], 'total', counts)
for part = 1, parts do
    local number, field = tonumber(ARGV[6 + labels + 2 * part]), ARGV[7 + labels + 2 * part]
    if isCounted[number] then addSums(KEYS[sums + number - 1], field, counts, number > 1 and ARGV[7]) end
end
for platform, kinds in pairs(platforms) do addSums(KEYS[sums], platform, table.concat(kinds, ',')) end
expirePeriod(sums, labels, ARGV[2])
return flags
