#!lua flags=allow-oom
-- Libraries: tenureReplies, rewritten
-- Renews the lease of a partition. A lease that expired while Redis was away, and that no member acquired, is renewed
-- too.
--
-- KEYS: lease, state, log. ARGV: member, milliseconds to live, group, fence, recorded offset, offset and time of the
-- entry read last or empty. Returns the next offset of the log, TENURE_TAKEN if another member has held the partition
-- since, or TENURE_REWRITTEN if the log is not the one that was read.

if redis.call('HGET', KEYS[2], 'fence:' .. ARGV[3]) ~= ARGV[4] then return TENURE_TAKEN end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if isRewritten(KEYS[2], KEYS[3], ARGV[3], ARGV[5], ARGV[6], ARGV[7]) then return TENURE_REWRITTEN end
return tonumber(redis.call('HGET', KEYS[2], 'next') or '0')
