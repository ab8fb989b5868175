import RedisClient

/// All atomic steps. Each touches one partition (or one group's member list), in bounded work.
///
/// `flags=allow-oom` marks steps that must work at `maxmemory`, or a full Redis could never be drained.
enum RedisBusScripts {
    /// KEYS state, log. ARGV messages, bytes, bound (0 for none), batch, now, bytes to keep of a log (0 for all),
    /// milliseconds to keep of a log. Returns the next offset, or -1 if the partition is at its bound.
    ///
    /// Each entry names its predecessor by offset and time: an offset alone would not distinguish a log from another
    /// that grew to the same length in its place. Empty if the last entry is from a version that does not note it.
    ///
    /// The entry is added before the counters change: an error in between must not leave a count without its entry. The
    /// state stores size and time of a log's oldest entry, so that nothing is read while nothing is too old.
    private static let append = """
        local state, log = KEYS[1], KEYS[2]
        local head = tonumber(redis.call('HGET', state, 'head') or '0')
        local bound = tonumber(ARGV[3])
        if bound > 0 and head - tonumber(redis.call('HGET', state, 'floor') or '0') >= bound then return -1 end
        local first = tonumber(redis.call('HGET', state, 'next') or '0')
        local next = first + ARGV[1]
        head = head + ARGV[2]
        local firstText, nextText = string.format('%.0f', first), string.format('%.0f', next)
        local headText = string.format('%.0f', head)
        local last = redis.call('HGET', state, 'last') or ''
        local follows = string.match(last, '^%d+') == firstText and last or ''
        redis.call('XADD', log, nextText .. '-0', 'b', ARGV[4], 'c', headText, 't', ARGV[5], 'p', follows)
        redis.call('HSET', state, 'next', nextText, 'head', headText, 'last', nextText .. ' ' .. ARGV[5])
        local keep, age = tonumber(ARGV[6]), tonumber(ARGV[7])
        if keep == 0 then return next end
        local bytes = tonumber(redis.call('HGET', state, 'oldest-bytes') or headText)
        local time = tonumber(redis.call('HGET', state, 'oldest-time') or ARGV[5])
        local removed = 0
        while removed < 1000 and (head - bytes >= keep or ARGV[5] - time > age) do
          local oldest = redis.call('XRANGE', log, '-', '+', 'COUNT', 2)
          if #oldest < 2 then break end
          redis.call('XDEL', log, oldest[1][1])
          redis.call('HSET', state, 'removed', string.match(oldest[1][1], '^%d+'))
          bytes, time = tonumber(oldest[2][2][4]), tonumber(oldest[2][2][6])
          removed = removed + 1
        end
        redis.call('HSET', state, 'oldest-bytes', string.format('%.0f', bytes), 'oldest-time', string.format('%.0f', time))
        return next
        """

    /// Refused at `maxmemory`, as a forward producer should be.
    static let appendForward = RedisScript("#!lua\n" + append)

    static let appendDraining = RedisScript("#!lua flags=allow-oom\n" + append)

    /// KEYS count. ARGV wanted. Returns the number of partitions, which the first caller decided.
    static let partitionCount = RedisScript(
        """
        #!lua flags=allow-oom
        local count = redis.call('GET', KEYS[1])
        if count then return count end
        redis.call('SET', KEYS[1], ARGV[1])
        return ARGV[1]
        """)

    /// KEYS members. ARGV member, milliseconds to live. Returns the live members. A time too far in the future is from
    /// before the clock was set back.
    static let beat = RedisScript(
        """
        #!lua flags=allow-oom
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local limit = string.format('%.0f', now + ARGV[2])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. limit, '+inf')
        redis.call('ZADD', KEYS[1], limit, ARGV[1])
        return redis.call('ZRANGE', KEYS[1], 0, -1)
        """)

    /// KEYS state. ARGV group. A new group starts at the oldest message, and from now on nothing is removed before the
    /// group has handled it.
    static let enrol = RedisScript(
        """
        #!lua flags=allow-oom
        local start = redis.call('HGET', KEYS[1], 'removed') or '0'
        local floor = redis.call('HGET', KEYS[1], 'floor') or '0'
        redis.call('HSETNX', KEYS[1], 'passed:' .. ARGV[1], floor)
        return redis.call('HSETNX', KEYS[1], 'done:' .. ARGV[1], start)
        """)

    /// KEYS lease, state. ARGV member, milliseconds to live, group. Returns the new tenure's fence, the offset to
    /// continue from and the bytes below it; nothing if another consumer holds the partition. A log that came back
    /// shorter than the group's progress is read again from the start, since it is unknown where it was cut. The first
    /// fence is a time, so that a Redis that lost everything issues no fence twice.
    static let acquire = RedisScript(
        """
        #!lua flags=allow-oom
        local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then return false end
        local time = redis.call('TIME')
        redis.call('HSETNX', KEYS[2], 'fence:' .. ARGV[3], time[1] .. string.format('%06d', time[2]))
        local fence = redis.call('HINCRBY', KEYS[2], 'fence:' .. ARGV[3], 1)
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        local done = tonumber(redis.call('HGET', KEYS[2], 'done:' .. ARGV[3]) or '0')
        local passed = tonumber(redis.call('HGET', KEYS[2], 'passed:' .. ARGV[3]) or '0')
        if done > tonumber(redis.call('HGET', KEYS[2], 'next') or '0') then done = 0 end
        passed = math.min(passed, tonumber(redis.call('HGET', KEYS[2], 'head') or '0'))
        redis.call('HSET', KEYS[2], 'done:' .. ARGV[3], string.format('%.0f', done))
        redis.call('HSET', KEYS[2], 'passed:' .. ARGV[3], string.format('%.0f', passed))
        return {fence, string.format('%.0f', done), string.format('%.0f', passed)}
        """)

    /// True if the log is not the one that was read: recorded progress went back, or the entry read last, by offset and
    /// time, is missing although nothing removed it. A log that is shorter than what was read is detected by its
    /// length.
    private static let rewritten = """
        local function isRewritten(state, log, group, recorded, offset, time)
          if offset ~= '' and tonumber(redis.call('HGET', state, 'next') or '0') < tonumber(offset) then return false end
          if tonumber(redis.call('HGET', state, 'done:' .. group) or '0') < tonumber(recorded) then return true end
          if offset == '' then return false end
          local entry = redis.call('XRANGE', log, offset .. '-0', offset .. '-0')[1]
          if entry then return entry[2][6] ~= time end
          return tonumber(redis.call('HGET', state, 'removed') or '0') < tonumber(offset)
        end

        """

    /// KEYS lease, state, log. ARGV member, milliseconds to live, group, fence, offset recorded as done, offset and
    /// time of the entry read last or nothing. Returns the next offset of the log, -1 if another consumer has held the
    /// partition since, or -2 if the log is not the one that was read. A lease that expired during an outage of Redis
    /// is renewed if no other consumer took it.
    static let renew = RedisScript(
        "#!lua flags=allow-oom\n" + rewritten + """
            if redis.call('HGET', KEYS[2], 'fence:' .. ARGV[3]) ~= ARGV[4] then return -1 end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            if isRewritten(KEYS[2], KEYS[3], ARGV[3], ARGV[5], ARGV[6], ARGV[7]) then return -2 end
            return tonumber(redis.call('HGET', KEYS[2], 'next') or '0')
            """)

    /// KEYS lease, state. ARGV group, fence.
    static let release = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('HGET', KEYS[2], 'fence:' .. ARGV[1]) ~= ARGV[2] then return 0 end
        return redis.call('DEL', KEYS[1])
        """)

    /// KEYS state, log. ARGV group, fence, offset done, bytes passed, 1 if the topic is work, offset recorded as done
    /// before, offset and time of the entry read last or nothing. Returns 1; 0 if the tenure is over or the log is
    /// shorter than that; or -2 if the log is not the one that was read, since unread entries would be removed. Work is
    /// removed as soon as the slowest group has handled it. A call overtaken by a later one changes nothing.
    static let advance = RedisScript(
        "#!lua flags=allow-oom\n" + rewritten + """
            if redis.call('HGET', KEYS[1], 'fence:' .. ARGV[1]) ~= ARGV[2] then return 0 end
            if tonumber(ARGV[3]) > tonumber(redis.call('HGET', KEYS[1], 'next') or '0') then return 0 end
            if isRewritten(KEYS[1], KEYS[2], ARGV[1], ARGV[6], ARGV[7], ARGV[8]) then return -2 end
            if tonumber(ARGV[3]) <= tonumber(redis.call('HGET', KEYS[1], 'done:' .. ARGV[1]) or '0') then return 1 end
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
