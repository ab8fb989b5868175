#!lua
-- Libraries: topicReady
-- Adds a segment to a topic. KEYS: segments of the topic. ARGV: generation, seconds, segment.

return redis.call('HSET', KEYS[1], ARGV[3], ARGV[2])
