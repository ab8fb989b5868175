-- KEYS[1] is the hash of one partition: its owner, and for each message the owners that started it, by its offset. An
-- owner is written as ",name".

local key = KEYS[1]

local function keep() redis.call('PEXPIRE', key, STARTS_MEMORY) end

-- Returns the owners of a message without one of them, and whether it was among them.
local function others(offset, owner)
    local owners = redis.call('HGET', key, offset) or ''
    local first, last = string.find(owners .. ',', ',' .. owner .. ',', 1, true)
    if not first then return owners, false end
    return string.sub(owners, 1, first - 1) .. string.sub(owners, last), true
end

local function count(owners) return select(2, string.gsub(owners, ',', '')) end

-- Removes the owner's starts of the offsets in ARGV from the given index.
local function giveBack(owner, first)
    for at = first, #ARGV do
        local left, isRemoved = others(ARGV[at], owner)
        if left == '' then
            redis.call('HDEL', key, ARGV[at])
        elseif isRemoved then
            redis.call('HSET', key, ARGV[at], left)
        end
    end
end
