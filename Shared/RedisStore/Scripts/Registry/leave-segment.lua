#!lua flags=allow-oom
-- Libraries: topicReady
-- Removes a segment from a topic unless it was entered again.
--
-- KEYS: segments of the topic. ARGV: generation, segment, time of entry. Returns 1 if it was removed, else 0.

if redis.call('HGET', KEYS[1], ARGV[2]) ~= ARGV[3] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[2])
