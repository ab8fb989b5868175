#!lua
-- Libraries: clock, requestReplies
-- Begins a request with an idempotency key. A full Redis refuses it, as it is the only step that starts new work.
--
-- KEYS: request. ARGV: now, fingerprint, holder, lease and retention in milliseconds, and the time of the caller.
-- Returns a REQUEST code, and its answer, or the time at which it began and that of its first caller.

local kept = redis.call('HMGET', KEYS[1], 'request', 'holder', 'end', 'began', 'answer', 'until', 'accepted')
if kept[1] and now >= (tonumber(kept[6]) or kept[4] + ARGV[5]) then
    redis.call('DEL', KEYS[1])
    kept = {}
end
if not kept[1] then
    redis.call(
        'HSET', KEYS[1], 'request', ARGV[2], 'holder', ARGV[3], 'first', ARGV[3], 'end', now + ARGV[4], 'began', now,
        'accepted', ARGV[6])
    redis.call('PEXPIRE', KEYS[1], ARGV[5])
    return {REQUEST_BEGUN, now, tonumber(ARGV[6])}
end
if kept[1] ~= ARGV[2] then return {REQUEST_OTHER} end
if kept[5] then return {REQUEST_ANSWERED, kept[5]} end
if kept[2] ~= ARGV[3] and tonumber(kept[3]) > now then return {REQUEST_IN_PROGRESS} end
redis.call('HSET', KEYS[1], 'holder', ARGV[3], 'end', now + ARGV[4])
return {REQUEST_BEGUN, tonumber(kept[4]), tonumber(kept[7] or kept[4])}
