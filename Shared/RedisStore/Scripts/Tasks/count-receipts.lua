#!lua
-- Counts receipts of one task that were not counted before.
--
-- KEYS: counters (a hash of task and kind to count), then for each receipt the set of its fingerprint.
-- ARGV: time at which the keys expire, task, then for each receipt its kind and its fingerprint.
-- Returns for each receipt 1 if it was counted, 0 if it is a repeat.

local flags, kinds = {}, {}
for number = 1, #KEYS - 1 do
    local key, kind = KEYS[number + 1], ARGV[2 * number + 1]
    flags[number] = redis.call('SADD', key, ARGV[2 * number + 2])
    if flags[number] == 1 then
        redis.call('PEXPIREAT', key, ARGV[1], 'NX')
        kinds[kind] = (kinds[kind] or 0) + 1
    end
end
for kind, count in pairs(kinds) do redis.call('HINCRBY', KEYS[1], ARGV[2] .. kind, count) end
if next(kinds) then redis.call('PEXPIREAT', KEYS[1], ARGV[1], 'NX') end
return flags
