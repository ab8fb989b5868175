#!lua flags=allow-oom
-- Libraries: clock, outageBounds, outage
-- KEYS: outages. ARGV: now, route. Returns 1.

local finish, level, _, nominee = readOutage()
if finish then writeOutage(finish, level, 0, nominee) end
return 1
