#!lua flags=allow-oom
-- Libraries: states, ledgerFlags, ranges, ledger, window
-- Cancels a segment: ends every device that no sender has claimed.
--
-- KEYS: ledger. ARGV: flags and deadline of a new ledger. Returns the ranges that have ended.

head = head or newHead(ARGV[1], ARGV[2])
set(FLAG_CANCELLED)
local ended = collector()
if head[COUNTS + STATE_TARGETED] + head[COUNTS + STATE_WAITING] > 0 then
    load(0, 4095)
    for offset = 0, 4095 do
        local state = states[offset]
        if state == STATE_TARGETED or state == STATE_WAITING then
            move(offset, STATE_CANCELLED)
            ended.add(offset)
        end
    end
    save()
else
    saveHeader()
end
return ended.text()
