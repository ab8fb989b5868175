#!lua flags=allow-oom
-- Removes the states of a queue. KEYS: due queues, leased queues, queue, its states. ARGV: queue.

for key = 1, 2 do redis.call('ZREM', KEYS[key], ARGV[1]) end
redis.call('DEL', KEYS[3], KEYS[4])
