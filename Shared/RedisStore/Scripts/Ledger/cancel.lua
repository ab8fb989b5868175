#!lua flags=allow-oom
-- Libraries: states, ledgerFlags, ranges, ledger, window
-- Cancels a segment: ends every device that no sender has claimed.
--
-- KEYS: ledger, deferrals. ARGV: flags and deadline of a new ledger. Returns the ranges that have ended.

head = head or newHead(ARGV[1], ARGV[2])
set(FLAG_CANCELLED)
local ended = collector()
if countFree() > 0 then
    load(0, 4095)
    for offset = 0, 4095 do
        if FREE[states[offset]] then
            move(offset, STATE_CANCELLED)
            ended.add(offset)
        end
    end
    save()
    if next(undeferred) then redis.call('DEL', KEYS[2]) end
else
    saveHeader()
end
return ended.text()
