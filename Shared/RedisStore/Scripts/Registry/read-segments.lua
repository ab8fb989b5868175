#!lua flags=no-writes
-- Libraries: topicReady
-- KEYS: segments of the topic. ARGV: generation. Returns pairs of u32: segment, time of entry in seconds.

local found = {}
local all = redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
    if all[at] ~= 'g' then
        found[#found + 1] = struct.pack('<I4I4', tonumber(all[at]), tonumber(all[at + 1]))
    end
end
return table.concat(found)
