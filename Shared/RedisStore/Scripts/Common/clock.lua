-- ARGV[1] is the time in milliseconds, or empty for the time of the server.

local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end
