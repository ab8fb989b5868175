#!lua
-- KEYS: shared hash of traces. ARGV: task, trace, time at which the hash expires.

redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
