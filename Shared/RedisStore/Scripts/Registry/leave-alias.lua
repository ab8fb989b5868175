#!lua flags=allow-oom
-- Libraries: openBucket, aliasEntries
-- Removes a device from an alias if it was added earlier.
--
-- KEYS: bucket. ARGV: generation, field, index, seconds. Returns 1 if it was removed, else 0; false if the bucket is
-- not open.

local at = place(ARGV[3])
if not at or struct.unpack('<I4', list, at + 4) >= tonumber(ARGV[4]) then return 0 end
list = string.sub(list, 1, at - 1) .. string.sub(list, at + 8)
if list == '' then redis.call('HDEL', KEYS[1], ARGV[2]) else redis.call('HSET', KEYS[1], ARGV[2], list) end
return 1
