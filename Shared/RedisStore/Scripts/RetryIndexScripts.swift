import RedisClient

/// Every step of the retry index. KEYS 1 is what waits, KEYS 2 what is leased; times are in milliseconds.
///
/// All carry `flags=allow-oom`: retries are what senders hand back, and a Redis at its `maxmemory` that refused them
/// could never empty itself.
enum RetryIndexScripts {
    private static let start = "#!lua flags=allow-oom\n"

    private static let shelf = """
        local waiting, leased = KEYS[1], KEYS[2]
        local function number(value) return string.format('%.0f', value) end
        local function await(member)
          local due = struct.unpack('<I6', member)
          redis.call('ZADD', waiting, number(due), member)
        end

        """

    /// ARGV: entries.
    static let add = RedisScript(
        start + shelf + """
            for _, member in ipairs(ARGV) do
              if not redis.call('ZSCORE', leased, member) then await(member) end
            end
            return 1
            """)

    /// ARGV: time, how many, for how long. Answers the time, the lease's end and the entries.
    static let lease = RedisScript(
        start + RedisClock.script + shelf + """
            local count, finish = ARGV[2], now + ARGV[3]
            for _, member in ipairs(redis.call('ZRANGEBYSCORE', leased, '-inf', number(now), 'LIMIT', 0, count)) do
              redis.call('ZREM', leased, member)
              await(member)
            end
            local due = redis.call('ZRANGEBYSCORE', waiting, '-inf', number(now), 'LIMIT', 0, count)
            for _, member in ipairs(due) do
              redis.call('ZREM', waiting, member)
              redis.call('ZADD', leased, number(finish), member)
            end
            return {now, finish, due}
            """)

    /// ARGV: entries.
    static let complete = RedisScript(
        start + shelf + """
            redis.call('ZREM', waiting, unpack(ARGV))
            redis.call('ZREM', leased, unpack(ARGV))
            return 1
            """)

    /// ARGV: the lease's end, entries.
    static let giveBack = RedisScript(
        start + shelf + """
            for position = 2, #ARGV do
              local member = ARGV[position]
              local finish = redis.call('ZSCORE', leased, member)
              if finish and tonumber(finish) == tonumber(ARGV[1]) then
                redis.call('ZREM', leased, member)
                await(member)
              end
            end
            return 1
            """)

    /// ARGV: time. Answers how many there are, the time, and the next moment if there is one.
    static let outlook = RedisScript(
        start + RedisClock.script + """
            local next = nil
            for _, key in ipairs(KEYS) do
              local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
              local moment = tonumber(first[2])
              if moment and (not next or moment < next) then next = moment end
            end
            return {redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[2]), now, next}
            """)
}
