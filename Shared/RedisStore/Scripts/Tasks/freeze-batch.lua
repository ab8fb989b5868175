#!lua flags=allow-oom
-- Makes the first states of a queue its batch, unless it has one.
--
-- KEYS: due queues, leased queues, queue, its states. ARGV: queue, id of a new batch, maximum number of states, maximum
-- bytes.
-- Returns the batch (id, body, number of states, time of the oldest in milliseconds) and the bytes that wait behind it;
-- nil if there is none.

local batch = redis.call('HMGET', KEYS[3], 'batch', 'body', 'count', 'since')
if not batch[1] then
    local states, size, since = {}, 2, nil
    for _, value in ipairs(redis.call('LRANGE', KEYS[4], 0, ARGV[3] - 1)) do
        local colon = string.find(value, ':', 1, true)
        local state = string.sub(value, colon + 1)
        if since and size + #state + 1 > tonumber(ARGV[4]) then break end
        since = since or string.sub(value, 1, colon - 1)
        states[#states + 1], size = state, size + #state + 1
    end
    if not since then
        for key = 1, 2 do redis.call('ZREM', KEYS[key], ARGV[1]) end
        redis.call('DEL', KEYS[3])
        return false
    end
    redis.call('LTRIM', KEYS[4], #states, -1)
    -- Without the brackets and commas.
    redis.call('HINCRBY', KEYS[3], 'bytes', #states + 2 - size)
    batch = {ARGV[2], '[' .. table.concat(states, ',') .. ']', #states, since}
    redis.call('HSET', KEYS[3], 'batch', batch[1], 'body', batch[2], 'count', batch[3], 'since', batch[4])
end
return {batch[1], batch[2], tonumber(batch[3]), tonumber(batch[4]), tonumber(redis.call('HGET', KEYS[3], 'bytes'))}
