#!lua flags=allow-oom
-- Libraries: clock, outageBounds, outage
-- Grants a device to be released as the next probe, one for each lease, once the pause is over.
--
-- KEYS: outages. ARGV: now, route, lease. Returns 1 if it is granted, else 0.

local finish, level, probe, nominee = readOutage()
if not finish or now < finish or now < nominee or now < probe then return 0 end
writeOutage(finish, level, probe, now + ARGV[3])
return 1
