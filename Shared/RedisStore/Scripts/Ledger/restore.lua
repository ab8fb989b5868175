#!lua flags=allow-oom
-- Libraries: states, ledgerFlags, ranges, ledger, window, whole
-- Restores the states of devices in a lost ledger. Opens a segment that was closed too early.
--
-- KEYS: ledger. ARGV: flags and deadline of a new ledger, state, ranges. Returns the ranges that are in the state now.

head = head or newHead(ARGV[1], ARGV[2])
if not isNew then load(0, 4095) end
head[FLAGS] = bit.band(head[FLAGS], bit.bnot(FLAG_CLOSED))
local target, matching = tonumber(ARGV[3]), collector()
each(ARGV[4], function(offset)
    if (states[offset] or STATE_NOT_TARGETED) == STATE_NOT_TARGETED then move(offset, target) end
    if states[offset] == target then matching.add(offset) end
end)
saveAll()
return matching.text()
