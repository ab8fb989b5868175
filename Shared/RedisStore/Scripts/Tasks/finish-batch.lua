#!lua flags=allow-oom
-- Libraries: clock
-- Removes the batch of a queue, which is due at once if it has more. KEYS: due queues, leased queues, queue, its
-- states. ARGV: now, queue, id of the batch.

if redis.call('HGET', KEYS[3], 'batch') ~= ARGV[3] then return end
redis.call('ZREM', KEYS[2], ARGV[2])
if redis.call('LLEN', KEYS[4]) > 0 then
    redis.call('HDEL', KEYS[3], 'batch', 'body', 'count', 'since')
    redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[2])
else
    redis.call('DEL', KEYS[3])
    redis.call('ZREM', KEYS[1], ARGV[2])
end
