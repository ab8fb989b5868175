#!lua flags=allow-oom
-- Sets when a task is due. KEYS: agenda. ARGV: NX or XX, time in milliseconds, task.

return redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2], ARGV[3])
