#!lua flags=allow-oom
-- Sets when tasks are due, or removes them. KEYS: agenda. ARGV: for each task NX or XX, or empty to remove it, time in
-- milliseconds, and task. Returns 1.

for at = 1, #ARGV, 3 do
    if ARGV[at] == '' then
        redis.call('ZREM', KEYS[1], ARGV[at + 2])
    else
        redis.call('ZADD', KEYS[1], ARGV[at], ARGV[at + 1], ARGV[at + 2])
    end
end
return 1
