#!lua
-- Libraries: ready, groupReplies
-- Decides whether a group can be saved, and reserves its name for it until then.
--
-- KEYS: header, groups, the name's reservation. ARGV: generation, id, name, 1 if the group is archived, the maximum
-- number of groups, milliseconds until the reservation ends by itself. Returns GROUP_FREE, GROUP_TAKEN or
-- GROUP_TOO_MANY.

if ARGV[4] ~= '1' then
    local groups = redis.call('HGETALL', KEYS[2])
    for i = 1, #groups, 2 do
        -- Four bytes of the rate, and a flag, precede the name.
        local isOther = groups[i] ~= ARGV[2] and string.byte(groups[i + 1], 5) == 0
        if isOther and string.sub(groups[i + 1], 6) == ARGV[3] then return GROUP_TAKEN end
    end
    local holder = redis.call('GET', KEYS[3])
    if holder and holder ~= ARGV[2] then return GROUP_TAKEN end
end
local isNew = redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0
if isNew and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[5]) then return GROUP_TOO_MANY end
if ARGV[4] ~= '1' then redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[6]) end
return GROUP_FREE
