#!lua flags=no-writes
-- Libraries: ready
-- Lists activities by time.
--
-- KEYS: header, times. ARGV: generation, ZRANGEBYSCORE or ZREVRANGEBYSCORE, the first and the last time, the maximum
-- number. Returns activities and times in turn, then the number of all activities.

local found = redis.call(ARGV[2], KEYS[2], ARGV[3], ARGV[4], 'WITHSCORES', 'LIMIT', 0, ARGV[5])
found[#found + 1] = redis.call('ZCARD', KEYS[2])
return found
