#!lua flags=allow-oom
-- Removes keys unless they belong to a newer generation. A key of another type has no generation, so that a rebuild can
-- replace it.
--
-- KEYS: a key with a generation, then the keys to remove, which may include it. ARGV: generation. Returns the number of
-- removed keys.

local function field(name)
    local value = redis.pcall('HGET', KEYS[1], name)
    return type(value) == 'string' and value
end
local found = field('generation') or field('g')
if found and string.sub(found, -16) > ARGV[1] then return 0 end
local removed = 0
for i = 2, #KEYS do removed = removed + redis.call('UNLINK', KEYS[i]) end
return removed
