-- A period's sums are hashes at consecutive keys: its total, topics and names of labels, and then one for each label. A
-- value is numbers in decimal, separated by commas; zeros at the end may be left out.

-- Beyond the bound of values the field `other` is taken, if it is given.
local function addSums(key, field, numbers, other)
    local known = redis.call('HGET', key, field)
    if not known and other and redis.call('HLEN', key) >= STATISTICS_VALUES then
        field = other
        known = redis.call('HGET', key, field)
    end
    local sums, place = {}, 0
    for sum in string.gmatch(known or '', '%d+') do sums[#sums + 1] = sum end
    for number in string.gmatch(numbers, '%d+') do
        place = place + 1
        sums[place] = string.format('%.0f', tonumber(sums[place] or 0) + tonumber(number))
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

-- Which of a period's keys are counted under. `first` is the number of its first key; the names of the labels begin
-- after ARGV[before].
local function countedKeys(first, labels, before)
    local isCounted = {true, true, true}
    for label = 1, labels do isCounted[3 + label] = enterName(KEYS[first + 2], ARGV[before + label]) end
    return isCounted
end

-- Keys that have no expiry yet get this one.
local function expirePeriod(first, labels, expiry)
    for number = first, first + 2 + labels do redis.call('PEXPIREAT', KEYS[number], expiry, 'NX') end
end
