#!lua flags=allow-oom
-- Advances the stage of a report; it never goes back. KEYS: stage. ARGV: stage, milliseconds to keep it.

if tonumber(ARGV[1]) > tonumber(redis.call('GET', KEYS[1]) or 0) then
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
