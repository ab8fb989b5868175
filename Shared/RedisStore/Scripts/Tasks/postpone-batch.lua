#!lua flags=allow-oom
-- Sets when the batch of a queue is due again. KEYS: due queues, leased queues, queue. ARGV: queue, id of the batch,
-- time in milliseconds.

if redis.call('HGET', KEYS[3], 'batch') ~= ARGV[2] then return end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
