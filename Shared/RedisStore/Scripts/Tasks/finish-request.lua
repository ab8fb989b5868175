#!lua flags=allow-oom
-- Stores the answer to a request. The holder is not needed any more.
--
-- KEYS: request. ARGV: now, fingerprint, holder, answer.

if redis.call('HGET', KEYS[1], 'request') == ARGV[2] then
    redis.call('HSETNX', KEYS[1], 'answer', ARGV[4])
    redis.call('HDEL', KEYS[1], 'holder', 'first', 'end')
end
