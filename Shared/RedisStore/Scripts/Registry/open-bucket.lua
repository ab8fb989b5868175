-- Checks that a bucket of names is open. KEYS[1]: bucket. ARGV[1]: generation.

if redis.call('HGET', KEYS[1], 'g') ~= ARGV[1] then return false end
