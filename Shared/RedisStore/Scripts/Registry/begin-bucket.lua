#!lua
-- Libraries: bucketReplies
-- Begins to open a bucket of names. It is open only after the app notes it and `confirm-bucket.lua` runs, so a bucket
-- that was lost is not taken for an empty one.
--
-- KEYS: bucket. ARGV: generation, 1 if the app notes the bucket. Returns BUCKET_OPEN, BUCKET_BEGUN, or BUCKET_LOST if
-- a noted bucket is missing.

local found = redis.call('HGET', KEYS[1], 'g')
if found == ARGV[1] then return BUCKET_OPEN end
if found == '?' .. ARGV[1] then return BUCKET_BEGUN end
if ARGV[2] == '1' then return BUCKET_LOST end
if found and string.sub(found, -16) > ARGV[1] then
    return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'}
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'g', '?' .. ARGV[1])
return BUCKET_BEGUN
