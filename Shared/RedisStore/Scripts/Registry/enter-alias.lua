#!lua
-- Libraries: openBucket, aliasEntries
-- Adds a device to an alias, or updates the time of its entry.
--
-- KEYS: bucket. ARGV: generation, field, index, time of entry, maximum number of entries.
-- Returns 1, or 0 if the alias is full; false if the bucket is not open.

local at = place(ARGV[3])
if not at and #list >= tonumber(ARGV[5]) * 8 then return 0 end
local entry = ARGV[3] .. ARGV[4]
list = at and string.sub(list, 1, at - 1) .. entry .. string.sub(list, at + 8) or list .. entry
redis.call('HSET', KEYS[1], ARGV[2], list)
return 1
