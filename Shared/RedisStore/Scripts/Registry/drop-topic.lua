#!lua flags=allow-oom
-- Libraries: topicReady
-- Removes a topic whose number no name has. KEYS: segments of the topic. ARGV: generation.

return redis.call('DEL', KEYS[1])
