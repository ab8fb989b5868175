-- KEYS[1] is the hash of outages, ARGV[2] the route, which is its field. The value is the end of the pause, the
-- number of extensions, and the ends of the leases of a probe and of a nominee, in decimal digits separated by
-- spaces. Times are in milliseconds.

local key, field = KEYS[1], ARGV[2]

local function readOutage()
    local text = redis.call('HGET', key, field) or ''
    local finish, level, probe, nominee = string.match(text, '^(%d+) (%d+) (%d+) (%d+)$')
    finish = tonumber(finish)
    if not finish or now >= finish + OUTAGE_MEMORY then return nil end
    return finish, tonumber(level), tonumber(probe), tonumber(nominee)
end

local function writeOutage(finish, level, probe, nominee)
    redis.call('HSET', key, field, string.format('%.0f %d %.0f %.0f', finish, level, probe, nominee))
    redis.call('PEXPIRE', key, math.ceil(math.max(finish - now, 0)) + OUTAGE_MEMORY)
end
