#!lua flags=no-writes
-- KEYS: ledger, details, deferrals. ARGV: offset. Returns the ledger, the detail of the device and the deferrals, each
-- empty if missing.

return {
    redis.call('GET', KEYS[1]) or '', redis.call('HGET', KEYS[2], ARGV[1]) or '', redis.call('HGETALL', KEYS[3])
}
