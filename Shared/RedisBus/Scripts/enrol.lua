#!lua flags=allow-oom
-- Registers a group with a partition. A new group starts with the oldest message, and no message is removed before
-- every registered group has processed it.
--
-- KEYS: state. ARGV: group.

local start = redis.call('HGET', KEYS[1], 'removed') or '0'
local floor = redis.call('HGET', KEYS[1], 'floor') or '0'
redis.call('HSETNX', KEYS[1], 'passed:' .. ARGV[1], floor)
return redis.call('HSETNX', KEYS[1], 'done:' .. ARGV[1], start)
