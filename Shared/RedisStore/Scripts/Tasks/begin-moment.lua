#!lua
-- Libraries: clock, awaiting
-- A moment of a user begins, or lasts until another time.
--
-- KEYS: waiting tasks, moment. ARGV: now, user, end of the moment. Returns the waiting tasks.

local finish = tonumber(ARGV[3])
if finish > now then
    redis.call('SET', KEYS[2], ARGV[3], 'PX', finish - now)
else
    redis.call('DEL', KEYS[2])
end
local tasks = {}
for number, entry in ipairs(awaiting()) do tasks[number] = string.sub(entry, 1, 16) end
return tasks
