-- Appends a batch to the log of a partition.
--
-- KEYS: state, log. ARGV: messages, bytes, bound (0 for none), batch, now, bytes to keep of a log (0 for all),
-- milliseconds to keep of a log, kind of the topic. Returns the next offset, or -1 if the partition is at its bound.

local state, log = KEYS[1], KEYS[2]
local fields = redis.call('HMGET', state, 'head', 'floor', 'next', 'last', 'oldest-bytes', 'oldest-time')

-- The state remembers size and time of the oldest entry, so that nothing is read unless an entry is too old.
local function trim(head, keep, age)
    local bytes, time = tonumber(fields[5] or head), tonumber(fields[6] or ARGV[5])
    local removed = 0
    local removable
    while removed < 1000 and (head - bytes >= keep or ARGV[5] - time > age) do
        removable = removable or (ARGV[8] == 'log' and math.huge or handledByAll(state) or 0)
        local oldest = redis.call('XRANGE', log, '-', '+', 'COUNT', 2)
        if #oldest < 2 then break end
        local offset = string.match(oldest[1][1], '^%d+')
        if tonumber(offset) > removable then break end
        redis.call('XDEL', log, oldest[1][1])
        redis.call('HSET', state, 'removed', offset)
        bytes, time = tonumber(oldest[2][2][4]), tonumber(oldest[2][2][6])
        removed = removed + 1
    end
    if removed == 0 and fields[5] and fields[6] then return end
    redis.call('HSET', state, 'oldest-bytes', string.format('%.0f', bytes), 'oldest-time', string.format('%.0f', time))
end

local function append()
    local head = tonumber(fields[1] or '0')
    local bound = tonumber(ARGV[3])
    if bound > 0 and head - tonumber(fields[2] or '0') >= bound then return -1 end
    local first = tonumber(fields[3] or '0')
    local next = first + ARGV[1]
    head = head + ARGV[2]
    local firstText, nextText = string.format('%.0f', first), string.format('%.0f', next)
    local headText = string.format('%.0f', head)
    -- Each entry names the entry before it by offset and time, since offsets alone do not tell this log from another
    -- that has grown to the same length. It is empty if a version that does not note it appended last.
    local last = fields[4] or ''
    local follows = string.match(last, '^%d+') == firstText and last or ''
    -- The entry is added before anything is counted: an error in between must not leave a count without its entry.
    redis.call('XADD', log, nextText .. '-0', 'b', ARGV[4], 'c', headText, 't', ARGV[5], 'p', follows)
    redis.call('HSET', state, 'next', nextText, 'head', headText, 'last', nextText .. ' ' .. ARGV[5])
    local keep, age = tonumber(ARGV[6]), tonumber(ARGV[7])
    if keep ~= 0 then trim(head, keep, age) end
    return next
end
