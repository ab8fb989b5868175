#!lua flags=no-writes
-- Libraries: clock, failingServerBounds
-- KEYS: failing servers of an app. ARGV: now. Returns each server and the time left.

local answer = {}
local fields = redis.call('HGETALL', KEYS[1])
for at = 1, #fields, 2 do
    local finish = tonumber(fields[at + 1])
    if finish and now < finish + FAILING_SERVER_MEMORY then
        answer[#answer + 1], answer[#answer + 2] = fields[at], math.ceil(finish - now)
    end
end
return answer
