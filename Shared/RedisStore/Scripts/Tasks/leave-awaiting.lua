#!lua flags=allow-oom
-- Libraries: clock, awaiting
-- The tasks wait no longer. KEYS: waiting tasks, moment. ARGV: now, user, tasks.

local isLeaving, entries = {}, {}
for at = 3, #ARGV do isLeaving[ARGV[at]] = true end
for _, entry in ipairs(awaiting()) do
    if not isLeaving[string.sub(entry, 1, 16)] then entries[#entries + 1] = entry end
end
keepAwaiting(entries)
