#!lua flags=no-writes
-- KEYS: ledger, details. ARGV: offset. Returns the ledger and the detail of the device, each empty if missing.

return {redis.call('GET', KEYS[1]) or '', redis.call('HGET', KEYS[2], ARGV[1]) or ''}
