#!lua flags=allow-oom
-- Libraries: states, ledgerFlags, ranges, ledger, window, providerNumbers, providers, reasonsBounds, reasons,
-- ledgerReasons
-- Closes a segment without open devices. A missing ledger is created closed, so that a late mark finds it closed.
--
-- KEYS: ledger, details. ARGV: flags and deadline of a new ledger, milliseconds to keep the ledger and the details, 1
-- to return them.
-- Returns the final counts, of which none is of deferred devices, the numbers by provider, those by reason, the ledger
-- or '', and the details; false while devices are open.

head = head or newHead(ARGV[1], ARGV[2])
if countOpen() > 0 then return false end
local isWanted = ARGV[5] == '1'
local body = isWanted and read(headerBytes(), 65535) or ''
local hasDetails = redis.call('EXISTS', KEYS[2]) == 1
if not has(FLAG_CLOSED) then
    set(FLAG_CLOSED)
    saveHeader()
    redis.call('PEXPIRE', ledger, ARGV[3])
    if hasDetails then redis.call('PEXPIRE', KEYS[2], ARGV[4]) end
end
return {
    string.sub(header(), 9, HEADER_BYTES[1]), providersOfLedger(hasDetails and KEYS[2]), reasonsOfLedger(KEYS[2]),
    isWanted and header() .. body or '', isWanted and hasDetails and redis.call('HGETALL', KEYS[2]) or {}
}
