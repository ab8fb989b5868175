#!lua flags=allow-oom
-- Libraries: startsBounds, starts
-- Gives up a partition, and takes back a start of each message. KEYS: partition. ARGV: owner, offsets.

giveBack(2)
if redis.call('HGET', key, 'owner') == ARGV[1] then redis.call('HDEL', key, 'owner') end
return 0
