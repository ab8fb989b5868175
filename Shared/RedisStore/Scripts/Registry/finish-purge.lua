#!lua flags=allow-oom
-- Libraries: ready, fields, lists, members, subscriptions, purges
-- Removes subscriptions to a purged topic from the lists of one bucket's devices. It only removes, so that it also runs
-- if Redis is full.
--
-- KEYS: header, subscriptions, topics. ARGV: generation, topic number, first offset of the bucket. Returns 1 if lists
-- of other buckets still name the topic, else 0.

local number, first = tonumber(ARGV[2]), tonumber(ARGV[3])
local ended = read(KEYS[3], number .. 'x')
for offset = first, first + 127 do
    if ended and isIn(ended, offset) then
        unsubscribe(offset, KEYS[2], KEYS[3], number)
        -- Also that of a device without a list.
        leave(KEYS[3], number .. 'x', offset)
    end
end
local remains = read(KEYS[3], number .. 'x')
if not remains then forgetPurge(number) end
save()
return remains and 1 or 0
