#!lua flags=allow-oom
-- Takes permits of a rate that several processes share. The key holds the time in milliseconds at which all promised
-- permits will have refilled; it expires a minute later.
--
-- KEYS: bucket. ARGV: now or empty for the time of the server, permits, permits per minute, burst, longest wait in
-- milliseconds.
-- Returns {1, time to wait}, or {0, time to wait} if none are taken.

local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + time[2] / 1000
end
local each = 60000 / ARGV[3]
local burst = ARGV[4] * each
local promised = tonumber(redis.call('GET', KEYS[1]) or 0)
-- No wait is as long: the permits were promised before the clock was set back.
if promised - now > burst + 60000 then promised = 0 end
local due = math.max(promised, now) + ARGV[2] * each
local wait = math.max(0, math.ceil(due - now - burst))
if wait > tonumber(ARGV[5]) then return {0, wait} end
redis.call('SET', KEYS[1], string.format('%.3f', due), 'PX', math.ceil(due - now) + 60000)
return {1, wait}
