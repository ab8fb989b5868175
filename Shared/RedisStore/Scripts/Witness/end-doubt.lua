#!lua flags=allow-oom
-- Ends the doubt about the store, unless another epoch has begun.
--
-- KEYS: witness. ARGV: beginning of the epoch or 0. Returns 1 if it is the current one.

if tonumber(redis.call('HGET', KEYS[1], 'began') or 0) ~= tonumber(ARGV[1]) then return 0 end
redis.call('HDEL', KEYS[1], 'doubtful')
return 1
