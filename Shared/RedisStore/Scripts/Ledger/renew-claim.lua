#!lua flags=allow-oom
-- Libraries: clock
-- Extends the lease of a claim.
--
-- KEYS: ledger, claims. ARGV: now, name of the claim, lease in milliseconds. Returns 1, or 0 if it holds no device.

local text = redis.call('HGET', KEYS[2], ARGV[2])
if not text then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], struct.pack('<I6', now + ARGV[3]) .. string.sub(text, 7))
return 1
