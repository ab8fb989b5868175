import RedisClient

/// Every step that must be atomic. Each touches one partition (or one group's member list), in constant or bounded work.
enum RedisBusScripts {
    /// KEYS state, log. ARGV messages, bytes, bound (0 for none), batch, now, bytes to keep of a log (0 for work),
    /// milliseconds to keep of a log. Returns the next offset, or -1 when the partition is at its bound.
    private static let append = """
        local head = tonumber(redis.call('HGET', KEYS[1], 'head') or '0')
        local bound = tonumber(ARGV[3])
        if bound > 0 then
          local floor = tonumber(redis.call('HGET', KEYS[1], 'floor') or '0')
          if head - floor >= bound then return -1 end
        end
        local next = redis.call('HINCRBY', KEYS[1], 'next', ARGV[1])
        head = redis.call('HINCRBY', KEYS[1], 'head', ARGV[2])
        redis.call('XADD', KEYS[2], string.format('%.0f-0', next), 'b', ARGV[4], 'c', string.format('%.0f', head), 't', ARGV[5])
        local keep = tonumber(ARGV[6])
        if keep > 0 then
          for i = 1, 8 do
            local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
            local tooMuch = head - tonumber(oldest[2][4]) >= keep
            local tooOld = tonumber(ARGV[5]) - tonumber(oldest[2][6]) > tonumber(ARGV[7])
            if not (tooMuch or tooOld) then break end
            redis.call('XDEL', KEYS[2], oldest[1])
          end
        end
        return next
        """

    /// Refused by a Redis at its `maxmemory`, as a forward producer should be.
    static let appendForward = RedisScript("#!lua\n" + append)

    /// Admitted by a full Redis: what drains the house has to go on when nothing else can.
    static let appendDraining = RedisScript("#!lua flags=allow-oom\n" + append)

    /// KEYS members. ARGV member, milliseconds to live. Returns the living members.
    static let beat = RedisScript(
        """
        #!lua flags=allow-oom
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
        redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
        return redis.call('ZRANGE', KEYS[1], 0, -1)
        """)

    /// KEYS state. ARGV group. A group that is new starts with the oldest message there is, and from now on nothing is
    /// removed before it was through.
    static let enrol = RedisScript(
        """
        #!lua flags=allow-oom
        local start = redis.call('HGET', KEYS[1], 'removed') or '0'
        local floor = redis.call('HGET', KEYS[1], 'floor') or '0'
        redis.call('HSETNX', KEYS[1], 'passed:' .. ARGV[1], floor)
        return redis.call('HSETNX', KEYS[1], 'done:' .. ARGV[1], start)
        """)

    /// KEYS lease, state. ARGV member, milliseconds to live, group. Returns the fence of the new tenure, the offset to go
    /// on from and the bytes below it; nothing when somebody holds the partition.
    static let acquire = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('EXISTS', KEYS[1]) == 1 then return false end
        local fence = redis.call('HINCRBY', KEYS[2], 'fence:' .. ARGV[3], 1)
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        local done = redis.call('HGET', KEYS[2], 'done:' .. ARGV[3]) or '0'
        local passed = redis.call('HGET', KEYS[2], 'passed:' .. ARGV[3]) or '0'
        return {fence, done, passed}
        """)

    /// KEYS lease, state. ARGV member, milliseconds to live, group, fence. Returns 1, or 0 when somebody else has held the
    /// partition since. A lease that ran out while Redis was away, and that nobody took, is simply taken up again.
    static let renew = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('HGET', KEYS[2], 'fence:' .. ARGV[3]) ~= ARGV[4] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return 1
        """)

    /// KEYS lease, state. ARGV group, fence.
    static let release = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('HGET', KEYS[2], 'fence:' .. ARGV[1]) ~= ARGV[2] then return 0 end
        return redis.call('DEL', KEYS[1])
        """)

    /// KEYS state, log. ARGV group, fence, offset done, bytes passed, 1 when the topic is work. Returns 1, or 0 when the
    /// tenure is over. Work is removed as soon as the slowest group is through with it.
    static let advance = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('HGET', KEYS[1], 'fence:' .. ARGV[1]) ~= ARGV[2] then return 0 end
        redis.call('HSET', KEYS[1], 'done:' .. ARGV[1], ARGV[3], 'passed:' .. ARGV[1], ARGV[4])
        if ARGV[5] ~= '1' then return 1 end
        local fields = redis.call('HGETALL', KEYS[1])
        local done, passed
        for i = 1, #fields, 2 do
          local value = tonumber(fields[i + 1])
          if string.sub(fields[i], 1, 5) == 'done:' and (not done or value < done) then done = value end
          if string.sub(fields[i], 1, 7) == 'passed:' and (not passed or value < passed) then passed = value end
        end
        redis.call('HSET', KEYS[1], 'floor', string.format('%.0f', passed), 'removed', string.format('%.0f', done))
        redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f-1', done))
        return 1
        """)
}
