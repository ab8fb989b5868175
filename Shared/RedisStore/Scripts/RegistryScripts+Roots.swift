import RedisClient

/// The scripts over one key above the segments. Generations rise, so that what an older registry left behind, or a client
/// of it still writes, is known as such and replaced; `NOTREADY` answers who comes from an older one himself.
extension RegistryScripts {
    /// KEYS registry. ARGV generation, state, alias buckets, 1 to replace what is there. Returns the generation that holds
    /// now; a registry that is there already is replaced by a newer one only.
    static let createRegistry = RedisScript(
        """
        #!lua
        local found = redis.call('HGET', KEYS[1], 'generation')
        if found and (ARGV[4] ~= '1' or found >= ARGV[1]) then return found end
        redis.call('DEL', KEYS[1])
        redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'state', ARGV[2], 'alias-buckets', ARGV[3])
        return ARGV[1]
        """)

    /// KEYS registry. ARGV generation, field, value.
    static let setRegistryField = RedisScript(
        "#!lua flags=allow-oom\n" + ready + """
            return redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
            """)

    /// KEYS a key that says of which generation it is, and those that it speaks for; itself may be among them. ARGV
    /// generation. Removes them unless they are of a newer one. A segment's header is made before anything else of it. A
    /// key that is no hash has no generation: a rebuild mends that too.
    static let clear = RedisScript(
        """
        #!lua flags=allow-oom
        local function field(name)
          local value = redis.pcall('HGET', KEYS[1], name)
          return type(value) == 'string' and value
        end
        local found = field('generation') or field('g')
        if found and string.sub(found, -16) > ARGV[1] then return 0 end
        local removed = 0
        for i = 2, #KEYS do removed = removed + redis.call('UNLINK', KEYS[i]) end
        return removed
        """)

    /// KEYS app. ARGV generation.
    static let createApp = RedisScript(
        """
        #!lua
        local found = redis.call('HGET', KEYS[1], 'generation')
        if found and found > ARGV[1] then return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'} end
        if found == ARGV[1] then return 0 end
        redis.call('DEL', KEYS[1])
        return redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'segments', 0, 'open', '', 'topics', 0)
        """)

    /// KEYS app. ARGV generation, segment, 1 to let it take registrations. Counts the segment if it is the next one, and
    /// returns how many there are.
    static let countSegment = RedisScript(
        "#!lua\n" + ready + """
            local count = tonumber(redis.call('HGET', KEYS[1], 'segments'))
            if count ~= tonumber(ARGV[2]) then return count end
            redis.call('HSET', KEYS[1], 'segments', count + 1)
            if ARGV[3] == '1' then
              local open = redis.call('HGET', KEYS[1], 'open')
              redis.call('HSET', KEYS[1], 'open', open == '' and ARGV[2] or open .. ',' .. ARGV[2])
            end
            return count + 1
            """)

    /// KEYS app. ARGV generation, segment. It takes no more registrations.
    static let closeSegment = RedisScript(
        "#!lua flags=allow-oom\n" + ready + """
            local rest = {}
            for number in string.gmatch(redis.call('HGET', KEYS[1], 'open'), '%d+') do
              if number ~= ARGV[2] then rest[#rest + 1] = number end
            end
            return redis.call('HSET', KEYS[1], 'open', table.concat(rest, ','))
            """)

    /// KEYS app. ARGV generation, segments with commas between: these take registrations.
    static let openSegments = RedisScript(
        "#!lua\n" + ready + """
            return redis.call('HSET', KEYS[1], 'open', ARGV[2])
            """)

    /// KEYS app. ARGV generation, how many. Returns the last of so many unused topic numbers in a row.
    static let numberTopics = RedisScript(
        "#!lua\n" + ready + """
            return redis.call('HINCRBY', KEYS[1], 'topics', ARGV[2])
            """)

    /// KEYS app. ARGV generation, field, then buckets. Notes that they exist.
    static let noteBuckets = RedisScript(
        "#!lua\n" + ready + """
            local bytes, length = {}, 0
            local found = redis.call('HGET', KEYS[1], ARGV[2]) or ''
            for at = 1, #found do bytes[at] = string.byte(found, at) end
            length = #found
            for i = 3, #ARGV do
              local at, mask = math.floor(ARGV[i] / 8) + 1, 2 ^ (ARGV[i] % 8)
              for new = length + 1, at do bytes[new] = 0 end
              length = math.max(length, at)
              bytes[at] = bit.bor(bytes[at], mask)
            end
            for at = 1, length do bytes[at] = string.char(bytes[at]) end
            redis.call('HSET', KEYS[1], ARGV[2], table.concat(bytes))
            return 1
            """)

    /// KEYS bucket. ARGV generation, 1 when the bucket is known to exist. Begins to open it; returns 2 when it is open, 1 when
    /// it is to be noted in the app and then confirmed, 0 when it should be there and is not.
    static let beginBucket = RedisScript(
        """
        #!lua
        local found = redis.call('HGET', KEYS[1], 'g')
        if found == ARGV[1] then return 2 end
        if found == '?' .. ARGV[1] then return 1 end
        if ARGV[2] == '1' then return 0 end
        if found and string.sub(found, -16) > ARGV[1] then
          return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'}
        end
        redis.call('DEL', KEYS[1])
        redis.call('HSET', KEYS[1], 'g', '?' .. ARGV[1])
        return 1
        """)

    /// KEYS bucket. ARGV generation.
    static let confirmBucket = RedisScript(
        """
        #!lua
        if redis.call('HGET', KEYS[1], 'g') == '?' .. ARGV[1] then redis.call('HSET', KEYS[1], 'g', ARGV[1]) end
        return 1
        """)

    private static let open = """
        if redis.call('HGET', KEYS[1], 'g') ~= ARGV[1] then return false end

        """

    /// KEYS bucket. ARGV generation, field. Returns the value, empty where there is none; nothing when the bucket is not
    /// open.
    static let lookUp = RedisScript(
        "#!lua flags=no-writes\n" + open + """
            return redis.call('HGET', KEYS[1], ARGV[2]) or ''
            """)

    /// KEYS bucket. ARGV generation, field, value. Sets it unless there is one; returns the value that holds.
    static let reserve = RedisScript(
        "#!lua\n" + open + """
            local found = redis.call('HGET', KEYS[1], ARGV[2])
            if found then return found end
            redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
            return ARGV[3]
            """)

    /// KEYS bucket. ARGV generation, field, old value, new value. Replaces the old value if it is there, by nothing if the
    /// new one is empty; returns the value that holds.
    static let exchange = RedisScript(
        "#!lua flags=allow-oom\n" + open + """
            local found = redis.call('HGET', KEYS[1], ARGV[2]) or ''
            if found ~= ARGV[3] then return found end
            if ARGV[4] == '' then redis.call('HDEL', KEYS[1], ARGV[2])
            else redis.call('HSET', KEYS[1], ARGV[2], ARGV[4]) end
            return ARGV[4]
            """)

    private static let entries = """
        local list = redis.call('HGET', KEYS[1], ARGV[2]) or ''
        local function place(index)
          for at = 1, #list, 8 do
            if string.sub(list, at, at + 3) == index then return at end
          end
        end

        """

    /// KEYS bucket. ARGV generation, field, index, time of entry, most entries. Enters the index, or its newer time; returns
    /// 1, or 0 when there are too many.
    static let enterAlias = RedisScript(
        "#!lua\n" + open + entries + """
            local at = place(ARGV[3])
            if not at and #list >= tonumber(ARGV[5]) * 8 then return 0 end
            local entry = ARGV[3] .. ARGV[4]
            list = at and string.sub(list, 1, at - 1) .. entry .. string.sub(list, at + 8) or list .. entry
            redis.call('HSET', KEYS[1], ARGV[2], list)
            return 1
            """)

    /// KEYS bucket. ARGV generation, field, index, seconds. Removes the index if it was entered before; returns whether it was
    /// removed.
    static let leaveAlias = RedisScript(
        "#!lua flags=allow-oom\n" + open + entries + """
            local at = place(ARGV[3])
            if not at or struct.unpack('<I4', list, at + 4) >= tonumber(ARGV[4]) then return 0 end
            list = string.sub(list, 1, at - 1) .. string.sub(list, at + 8)
            if list == '' then redis.call('HDEL', KEYS[1], ARGV[2]) else redis.call('HSET', KEYS[1], ARGV[2], list) end
            return 1
            """)

    /// KEYS segments of a topic. ARGV generation. Makes the key for a topic that has just got its number.
    static let createTopic = RedisScript(
        """
        #!lua
        local found = redis.call('HGET', KEYS[1], 'g')
        if found and found > ARGV[1] then return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'} end
        if found ~= ARGV[1] then
          redis.call('DEL', KEYS[1])
          redis.call('HSET', KEYS[1], 'g', ARGV[1])
        end
        return 1
        """)

    private static let ofTopic = """
        if redis.call('HGET', KEYS[1], 'g') ~= ARGV[1] then
          return {err = 'NOTREADY ' .. KEYS[1] .. ' is not of this registry'}
        end

        """

    /// KEYS segments of a topic. ARGV generation. For a number that nobody knows.
    static let dropTopic = RedisScript(
        "#!lua flags=allow-oom\n" + ofTopic + """
            return redis.call('DEL', KEYS[1])
            """)

    /// KEYS segments of a topic. ARGV generation, seconds, segment.
    static let enterSegment = RedisScript(
        "#!lua\n" + ofTopic + """
            return redis.call('HSET', KEYS[1], ARGV[3], ARGV[2])
            """)

    /// KEYS segments of a topic. ARGV generation. Returns them with the time each was entered, in turn.
    static let readSegments = RedisScript(
        "#!lua flags=no-writes\n" + ofTopic + """
            local found = {}
            local all = redis.call('HGETALL', KEYS[1])
            for at = 1, #all, 2 do
              if all[at] ~= 'g' then
                found[#found + 1] = struct.pack('<I4I4', tonumber(all[at]), tonumber(all[at + 1]))
              end
            end
            return table.concat(found)
            """)

    /// KEYS segments of a topic. ARGV generation, segment, the time it was entered. Removes it unless it was entered again.
    static let leaveSegment = RedisScript(
        "#!lua flags=allow-oom\n" + ofTopic + """
            if redis.call('HGET', KEYS[1], ARGV[2]) ~= ARGV[3] then return 0 end
            return redis.call('HDEL', KEYS[1], ARGV[2])
            """)
}
