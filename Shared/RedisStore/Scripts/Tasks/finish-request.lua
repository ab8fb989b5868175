#!lua flags=allow-oom
-- Stores the answer to a request. The holder is not needed any more.
--
-- KEYS: request. ARGV: now, fingerprint, holder, answer, time until which it is kept or empty for the retention.

if redis.call('HGET', KEYS[1], 'request') == ARGV[2] then
    redis.call('HSETNX', KEYS[1], 'answer', ARGV[4])
    redis.call('HDEL', KEYS[1], 'holder', 'first', 'end')
    if ARGV[5] ~= '' then
        redis.call('HSET', KEYS[1], 'until', ARGV[5])
        redis.call('PEXPIREAT', KEYS[1], ARGV[5])
    end
end
