#!lua flags=allow-oom
-- Ends the lease of a request. KEYS: request. ARGV: now, fingerprint, holder.

if redis.call('HGET', KEYS[1], 'holder') == ARGV[3] then redis.call('HSET', KEYS[1], 'end', 0) end
