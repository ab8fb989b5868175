#!lua flags=allow-oom
-- Removes a swap unless it was entered or leased again since. KEYS: swaps. ARGV: end of the lease, swap.

local finish = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[2]))
if finish == tonumber(ARGV[1]) then redis.call('ZREM', KEYS[1], ARGV[2]) end
