-- The devices of an alias: entries of eight bytes, index then time. KEYS[1]: bucket. ARGV[2]: field, ARGV[3]: index.

local list = redis.call('HGET', KEYS[1], ARGV[2]) or ''

local function place(index)
    for at = 1, #list, 8 do
        if string.sub(list, at, at + 3) == index then return at end
    end
end
