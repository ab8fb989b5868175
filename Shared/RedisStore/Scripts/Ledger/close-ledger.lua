#!lua flags=allow-oom
-- Libraries: states, ledgerFlags, ranges, ledger, window, providerNumbers, providers, reasonsBounds, reasons,
-- ledgerReasons
-- Closes a segment without open devices. A missing ledger is created closed, so that a late mark finds it closed.
--
-- KEYS: ledger, details. ARGV: flags and deadline of a new ledger, milliseconds to keep the ledger and the details.
-- Returns the final counts, of which none is of deferred devices, the numbers by provider, and those by reason; false
-- while devices are open.

head = head or newHead(ARGV[1], ARGV[2])
if countOpen() > 0 then return false end
if not has(FLAG_CLOSED) then
    set(FLAG_CLOSED)
    saveHeader()
    redis.call('PEXPIRE', ledger, ARGV[3])
    redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
return {string.sub(header(), 9, HEADER_BYTES[1]), providersOfLedger(KEYS[2]), reasonsOfLedger(KEYS[2])}
