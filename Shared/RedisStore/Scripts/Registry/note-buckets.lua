#!lua
-- Libraries: ready
-- Sets the bits of buckets that exist, the lowest bucket in the lowest bit of the first byte.
--
-- KEYS: app. ARGV: generation, field, buckets. Returns 1.

local found = redis.call('HGET', KEYS[1], ARGV[2]) or ''
local bytes, length = {}, #found
for at = 1, #found do bytes[at] = string.byte(found, at) end
for i = 3, #ARGV do
    local at, mask = math.floor(ARGV[i] / 8) + 1, 2 ^ (ARGV[i] % 8)
    for new = length + 1, at do bytes[new] = 0 end
    length = math.max(length, at)
    bytes[at] = bit.bor(bytes[at], mask)
end
for at = 1, length do bytes[at] = string.char(bytes[at]) end
redis.call('HSET', KEYS[1], ARGV[2], table.concat(bytes))
return 1
