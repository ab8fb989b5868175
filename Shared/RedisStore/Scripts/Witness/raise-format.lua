#!lua flags=allow-oom
-- Raises the format of the store before something is written that processes without that format would misread.
--
-- KEYS: witness. ARGV: format. Returns 1.

if tonumber(redis.call('HGET', KEYS[1], 'format') or 0) < tonumber(ARGV[1]) then
    redis.call('HSET', KEYS[1], 'format', ARGV[1])
end
return 1
