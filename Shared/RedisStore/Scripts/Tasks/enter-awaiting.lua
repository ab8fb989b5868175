#!lua flags=allow-oom
-- Libraries: clock, awaiting
-- Enters a task that waits for a moment of its user. Works at the memory limit, so that accepted tasks can be entered.
--
-- KEYS: waiting tasks, moment. ARGV: now, user, task, end of its window, maximum number of tasks. Returns the end of
-- the user's moment, or nil.

local entries, isKnown = awaiting(), false
for _, entry in ipairs(entries) do isKnown = isKnown or string.sub(entry, 1, 16) == ARGV[3] end
local finish = tonumber(ARGV[4])
if not isKnown and finish > now and #entries < tonumber(ARGV[5]) then
    entries[#entries + 1] = ARGV[3] .. struct.pack('<I6', finish)
    keepAwaiting(entries)
end
local moment = tonumber(redis.call('GET', KEYS[2]) or 0)
return moment > now and moment or nil
