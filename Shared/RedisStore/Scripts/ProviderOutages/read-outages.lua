#!lua flags=no-writes
-- Libraries: clock, outageBounds
-- KEYS: outages. ARGV: now. Returns route and rest of the pause in turn.

local answer = {}
local fields = redis.call('HGETALL', KEYS[1])
for at = 1, #fields, 2 do
    local finish = tonumber(string.match(fields[at + 1], '^(%d+) '))
    if finish and now < finish + OUTAGE_MEMORY then
        answer[#answer + 1], answer[#answer + 2] = fields[at], finish - now
    end
end
return answer
