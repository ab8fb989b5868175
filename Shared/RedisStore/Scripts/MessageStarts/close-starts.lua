#!lua flags=allow-oom
-- Libraries: startsBounds, starts
-- Gives up a partition, and removes the owner's start of each message. KEYS: partition. ARGV: owner, offsets.

giveBack(ARGV[1], 2)
if redis.call('HGET', key, 'owner') == ARGV[1] then redis.call('HDEL', key, 'owner') end
return 0
