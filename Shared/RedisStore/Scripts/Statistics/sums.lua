-- A period's sums are hashes at consecutive keys: its total, topics and names of labels, and then one for each label. A
-- value is numbers in decimal, separated by commas; zeros at the end may be left out.

-- True if a key may be new.
local hasGrown = false

local function addNumbers(sums, numbers)
    local place = 0
    for number in string.gmatch(numbers, '%d+') do
        place = place + 1
        sums[place] = sums[place] and string.format('%.0f', sums[place] + number) or number
    end
end

-- Beyond the bound of values the field `other` is taken, if it is given.
local function addSums(key, field, numbers, other)
    local known = redis.call('HGET', key, field)
    if not known and other and redis.call('HLEN', key) >= STATISTICS_VALUES then
        field = other
        known = redis.call('HGET', key, field)
    end
    hasGrown = hasGrown or not known
    local sums = {}
    addNumbers(sums, known or '')
    addNumbers(sums, numbers)
    redis.call('HSET', key, field, table.concat(sums, ','))
end

-- False for a name beyond the bound.
local function enterName(names, name)
    if redis.call('HEXISTS', names, name) == 1 then return true end
    if redis.call('HLEN', names) >= STATISTICS_NAMES then return false end
    redis.call('HSET', names, name, 1)
    hasGrown = true
    return true
end

-- Which of a period's keys are counted under. `first` is the number of its first key; the names of the labels begin
-- after ARGV[before].
local function countedKeys(first, labels, before)
    local isCounted = {true, true, true}
    for label = 1, labels do isCounted[3 + label] = enterName(KEYS[first + 2], ARGV[before + label]) end
    return isCounted
end

-- Keys that have no expiry yet get this one.
local function expirePeriod(first, labels, expiry)
    if not hasGrown then return end
    for number = first, first + 2 + labels do redis.call('PEXPIREAT', KEYS[number], expiry, 'NX') end
end
