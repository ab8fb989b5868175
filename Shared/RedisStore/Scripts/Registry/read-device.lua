#!lua flags=no-writes
-- Libraries: ready
-- KEYS: header, devices, subscriptions, badges. ARGV: generation, field.
-- Returns record, subscriptions, badge, and the purged topics of the segment, each empty if missing.

return {
    redis.call('HGET', KEYS[2], ARGV[2]) or '', redis.call('HGET', KEYS[3], ARGV[2]) or '',
    redis.call('HGET', KEYS[4], ARGV[2]) or '', redis.call('HGET', KEYS[1], 'purged') or ''
}
