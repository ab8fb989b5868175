#!lua flags=allow-oom
-- Libraries: clock
-- Begins a new epoch if a count proves that writes are lost, unless another process has begun it.
--
-- KEYS: witness. ARGV: now, count that proves a loss or 0, highest known count, leap, 1 if the store can be filled
-- again, format of a store that has none yet.
-- Returns 1 if a new epoch begins, the count, the beginning of the epoch or 0, and 1 if the store is doubtful.

redis.call('HSETNX', KEYS[1], 'format', ARGV[6])
local count = tonumber(redis.call('HGET', KEYS[1], 'count') or 0)
local proof, known, leap, begins = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), 0
if proof > 0 and count - proof < leap / 2 then
    begins, count = 1, math.max(count, known) + leap
    redis.call('HSET', KEYS[1], 'count', string.format('%.0f', count), 'began', now)
    if ARGV[5] == '1' then redis.call('HSET', KEYS[1], 'doubtful', 1) end
end
local began = tonumber(redis.call('HGET', KEYS[1], 'began') or 0)
return {begins, count, began, tonumber(redis.call('HGET', KEYS[1], 'doubtful') or 0)}
