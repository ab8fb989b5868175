import RedisClient

/// Steps that write a lost ledger anew. While a task has the field `restoring` nobody else may mark or close anything of it.
extension LedgerScripts {
    /// KEYS task. ARGV plan. Returns 1, or 0 when the task has a ledger of its own.
    static let beginRestoring = RedisScript(
        start("allow-oom") + """
            local fields = redis.call('HMGET', KEYS[1], 'plan', 'restoring')
            if fields[1] and not fields[2] then return 0 end
            redis.call('HSET', KEYS[1], 'plan', ARGV[1], 'jobs', 1, 'resolved', 1, 'restoring', 1)
            redis.call('PERSIST', KEYS[1])
            return 1
            """)

    /// KEYS task, open segments. ARGV segment. Returns 1, or 0 when the task is not being restored.
    static let enterToRestore = RedisScript(
        start("allow-oom") + """
            if redis.call('HEXISTS', KEYS[1], 'restoring') == 0 then return 0 end
            redis.call('SADD', KEYS[2], ARGV[1])
            return 1
            """)

    /// KEYS ledger. ARGV flags and deadline of a new ledger, state, ranges. Returns the ranges that stand at the state. A
    /// segment that somebody has closed too early is open again.
    static let restore = RedisScript(
        start("allow-oom") + ledger + saving + """
            head = head or newHead(ARGV[1], ARGV[2])
            if text ~= '' then load(0, 4095) end
            head[2] = bit.band(head[2], bit.bnot(CLOSED))
            local state, standing = tonumber(ARGV[3]), collector()
            each(ARGV[4], function(offset)
              if (states[offset] or 0) == 0 then move(offset, state) end
              if states[offset] == state then standing.add(offset) end
            end)
            saveAll()
            return standing.text()
            """)

    /// KEYS task. ARGV plan.
    static let endRestoring = RedisScript(
        start("allow-oom") + """
            if redis.call('HDEL', KEYS[1], 'restoring') == 1 then redis.call('HSET', KEYS[1], 'plan', ARGV[1]) end
            return 1
            """)
}
