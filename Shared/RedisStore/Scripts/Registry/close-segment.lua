#!lua flags=allow-oom
-- Libraries: ready
-- Closes a segment for registrations. KEYS: app. ARGV: generation, segment.

local rest = {}
for number in string.gmatch(redis.call('HGET', KEYS[1], 'open'), '%d+') do
    if number ~= ARGV[2] then rest[#rest + 1] = number end
end
return redis.call('HSET', KEYS[1], 'open', table.concat(rest, ','))
