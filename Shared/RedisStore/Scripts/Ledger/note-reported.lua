#!lua flags=allow-oom
-- Libraries: states, ledgerFlags, ranges, ledger, window, reported
-- Notes that the results of ended devices are on the `results` topic.
--
-- KEYS: ledger, details. ARGV: ranges. Returns 1, or 0 if there is no ledger.

if not head then return 0 end
if isAlone() then
    load(span(ARGV[1]))
    if #order == 1 and not has(FLAG_REPORTED) then
        set(FLAG_REPORTED)
        saveHeader()
    end
    return 1
end
local text = redis.call('HGET', KEYS[2], 'told') or ''
local isShort = #text + #ARGV[1] < BITMAP_BYTES
redis.call('HSET', KEYS[2], 'told', isShort and text .. ARGV[1] or reportedBitmap(text, ARGV[1]))
-- Details that are first written after the segment is closed have no expiry of their own yet.
if has(FLAG_CLOSED) and redis.call('PTTL', KEYS[2]) == -1 then
    local left = redis.call('PTTL', ledger)
    if left > 0 then redis.call('PEXPIRE', KEYS[2], left) end
end
return 1
