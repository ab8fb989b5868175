#!lua flags=allow-oom
-- Acquires the lease of a partition. If the log is shorter than the group's progress, it was restored from older
-- data, and the group reads all of it again.
--
-- KEYS: lease, state. ARGV: member, milliseconds to live, group. Returns the fence of the new tenure, the offset to
-- continue from and the bytes below it; false if another member holds the lease.

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return false end
local time = redis.call('TIME')
-- The first fence is a time, so that a Redis that has lost everything issues no fence twice.
redis.call('HSETNX', KEYS[2], 'fence:' .. ARGV[3], time[1] .. string.format('%06d', time[2]))
local fence = redis.call('HINCRBY', KEYS[2], 'fence:' .. ARGV[3], 1)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local done = tonumber(redis.call('HGET', KEYS[2], 'done:' .. ARGV[3]) or '0')
local passed = tonumber(redis.call('HGET', KEYS[2], 'passed:' .. ARGV[3]) or '0')
if done > tonumber(redis.call('HGET', KEYS[2], 'next') or '0') then done = 0 end
passed = math.min(passed, tonumber(redis.call('HGET', KEYS[2], 'head') or '0'))
redis.call('HSET', KEYS[2], 'done:' .. ARGV[3], string.format('%.0f', done))
redis.call('HSET', KEYS[2], 'passed:' .. ARGV[3], string.format('%.0f', passed))
return {fence, string.format('%.0f', done), string.format('%.0f', passed)}
