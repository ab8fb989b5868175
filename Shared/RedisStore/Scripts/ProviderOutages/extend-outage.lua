#!lua flags=allow-oom
-- Libraries: clock, outageBounds, outage
-- Begins an outage, or extends its pause. A failure during a pause, or while a probe is under way, changes nothing.
--
-- KEYS: outages. ARGV: now, route, first and longest pause, jitter in thousandths, 1 if the probe failed.
-- Returns the rest of the pause.

local finish, level, probe = readOutage()
if finish then
    if now < finish then return finish - now end
    if ARGV[6] ~= '1' and now < probe then return OUTAGE_PROBE_PAUSE end
end
level = finish and math.min(level + 1, OUTAGE_LEVELS) or 0
local ceiling = math.min(tonumber(ARGV[4]), tonumber(ARGV[3]) * 2 ^ level)
local pause = math.floor(ceiling / 2 + ceiling / 2 * ARGV[5] / 1000)
writeOutage(now + pause, level, 0, 0)
return pause
