#!lua flags=allow-oom
-- Libraries: clock
-- Appends states of one message or device that were not appended before. Works at the memory limit, like everything
-- that ends a task; ingest refuses new messages before.
--
-- KEYS: due queues, leased queues, queue (a hash), its states (a list), message or device (a hash). ARGV: now, queue,
-- head of the message or device, time at which that expires, bytes that may wait, then for each state its name and its
-- bytes.
-- Returns how many were appended.
--
-- A state in the queue is the time in milliseconds, a colon and its bytes.

local count, size = 0, 0
for at = 6, #ARGV, 2 do
    if redis.call('HSETNX', KEYS[5], 's' .. ARGV[at], '') == 1 then
        redis.call('RPUSH', KEYS[4], string.format('%.0f:', now) .. ARGV[at + 1])
        count, size = count + 1, size + #ARGV[at + 1]
    end
end
redis.call('HSETNX', KEYS[5], 'head', ARGV[3])
redis.call('PEXPIREAT', KEYS[5], ARGV[4], 'NX')
if count == 0 then return 0 end

local waiting = redis.call('HINCRBY', KEYS[3], 'bytes', size)
redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', now), ARGV[2])
-- A postponed queue that is too long is due at once; one that is leased is due at the end of its batch.
if waiting > tonumber(ARGV[5]) and tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or 0) <= now then
    redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[2])
end
return count
