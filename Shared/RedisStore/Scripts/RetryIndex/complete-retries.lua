#!lua flags=allow-oom
-- Libraries: retries
-- KEYS: waiting, leased. ARGV: entries. Removes them. Returns 1.

redis.call('ZREM', waiting, unpack(ARGV))
redis.call('ZREM', leased, unpack(ARGV))
return 1
