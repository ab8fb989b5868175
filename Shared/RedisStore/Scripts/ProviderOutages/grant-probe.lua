#!lua flags=allow-oom
-- Libraries: clock, probeReplies, outageBounds, outage
-- KEYS: outages. ARGV: now, route, lease. Returns PROBE_NOT_NEEDED without an outage, PROBE_GRANTED, or the time to
-- wait.

local finish, level, probe, nominee = readOutage()
if not finish then return PROBE_NOT_NEEDED end
if now < finish then return math.ceil(finish - now) end
if now < probe then return OUTAGE_PROBE_PAUSE end
writeOutage(finish, level, now + ARGV[3], nominee)
return PROBE_GRANTED
