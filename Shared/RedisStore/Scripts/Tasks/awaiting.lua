-- KEYS[1] is a hash: by user, its waiting tasks, each with its id (16 bytes) and the time in milliseconds (u48) at
-- which its window ends. KEYS[2] is the time until which the user's moment lasts. ARGV[2] is the field of the user.

local AWAITING_BYTES = 22

-- The entries whose windows have not ended, as a list of strings.
local function awaiting()
    local text = redis.call('HGET', KEYS[1], ARGV[2]) or ''
    local entries = {}
    for at = 1, #text, AWAITING_BYTES do
        local entry = string.sub(text, at, at + AWAITING_BYTES - 1)
        if struct.unpack('<I6', entry, 17) > now then entries[#entries + 1] = entry end
    end
    return entries
end

local function keepAwaiting(entries)
    if #entries == 0 then
        redis.call('HDEL', KEYS[1], ARGV[2])
    else
        redis.call('HSET', KEYS[1], ARGV[2], table.concat(entries))
    end
end
