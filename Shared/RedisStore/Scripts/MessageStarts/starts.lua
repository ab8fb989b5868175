-- KEYS[1] is the hash of one partition: its owner, and for each message the number of starts, by its offset.

local key = KEYS[1]

local function keep() redis.call('PEXPIRE', key, STARTS_MEMORY) end

-- Counts down the offsets in ARGV from the given index.
local function giveBack(first)
    for at = first, #ARGV do
        if redis.call('HEXISTS', key, ARGV[at]) == 1 and redis.call('HINCRBY', key, ARGV[at], -1) <= 0 then
            redis.call('HDEL', key, ARGV[at])
        end
    end
end
