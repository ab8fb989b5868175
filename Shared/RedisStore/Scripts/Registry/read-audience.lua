#!lua flags=no-writes
-- Libraries: ready
-- KEYS: header, live, topics. ARGV: generation, then for each topic the position of its key and its number.
-- Returns the bitmap of existing devices, then for each topic its members and the members that ignore messages, each
-- empty if there are none.

local sets = {redis.call('GET', KEYS[2]) or ''}
for i = 2, #ARGV, 2 do
    local found = redis.call('HMGET', KEYS[tonumber(ARGV[i])], ARGV[i + 1], ARGV[i + 1] .. 'i')
    sets[#sets + 1] = found[1] or ''
    sets[#sets + 1] = found[2] or ''
end
return sets
