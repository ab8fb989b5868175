#!lua flags=allow-oom
-- Libraries: tenureReplies, rewritten, handled
-- Records the progress of a group. Work is removed as soon as the slowest group has processed it; of kept work, append
-- removes the oldest. A call that was overtaken by a later one changes nothing.
--
-- KEYS: state, log. ARGV: group, fence, processed offset, processed bytes, kind of the topic, offset recorded
-- before, offset and time of the entry read last or empty.
-- Returns 1; TENURE_OVER if the tenure is over or the log ends before the offset; TENURE_REWRITTEN if the log is not
-- the one that was read, as messages that were never read would be removed.

if redis.call('HGET', KEYS[1], 'fence:' .. ARGV[1]) ~= ARGV[2] then return TENURE_OVER end
if tonumber(ARGV[3]) > tonumber(redis.call('HGET', KEYS[1], 'next') or '0') then return TENURE_OVER end
if isRewritten(KEYS[1], KEYS[2], ARGV[1], ARGV[6], ARGV[7], ARGV[8]) then return TENURE_REWRITTEN end
if tonumber(ARGV[3]) <= tonumber(redis.call('HGET', KEYS[1], 'done:' .. ARGV[1]) or '0') then return 1 end
redis.call('HSET', KEYS[1], 'done:' .. ARGV[1], ARGV[3], 'passed:' .. ARGV[1], ARGV[4])
if ARGV[5] == 'log' then return 1 end
local done, passed = handledByAll(KEYS[1])
redis.call('HSET', KEYS[1], 'floor', string.format('%.0f', passed))
if ARGV[5] ~= 'work' then return 1 end
redis.call('HSET', KEYS[1], 'removed', string.format('%.0f', done))
redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f-1', done))
return 1
