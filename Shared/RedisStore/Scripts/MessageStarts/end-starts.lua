#!lua flags=allow-oom
-- Libraries: startsBounds, starts
-- Removes the counts of handled messages. KEYS: partition. ARGV: offsets.

for at = 1, #ARGV do redis.call('HDEL', key, ARGV[at]) end
return 0
