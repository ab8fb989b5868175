import RedisClient

/// The scripts over one segment. Each has the header as its first key, and the generation as its first argument; a header
/// that is missing or belongs to another registry answers `NOTREADY`.
enum RegistryScripts {
    static let ready = """
        if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then
          return {err = 'NOTREADY ' .. KEYS[1] .. ' is not of this registry'}
        end

        """

    /// What the changes of one script read and write. A field is read once and written once however many changes meet in it:
    /// a topic that many devices of a segment join, a device that joins many topics.
    private static let fields = """
        local known, unsaved, bits, marks = {}, {}, {}, 0
        local function read(key, field)
          local fields = known[key]
          if not fields then
            fields = {}
            known[key] = fields
          end
          local value = fields[field]
          if value == nil then
            value = redis.call('HGET', key, field)
            fields[field] = value
          end
          return value
        end
        -- False removes the field.
        local function write(key, field, value)
          known[key] = known[key] or {}
          unsaved[key] = unsaved[key] or {}
          known[key][field] = value
          unsaved[key][field] = true
        end
        local function save()
          for key, fields in pairs(unsaved) do
            local set, gone = {}, {}
            for field in pairs(fields) do
              local value = known[key][field]
              if value then
                set[#set + 1] = field
                set[#set + 1] = value
              else
                gone[#gone + 1] = field
              end
            end
            if #set > 0 then redis.call('HSET', key, unpack(set)) end
            if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
          end
          for bit, value in pairs(bits) do redis.call('SETBIT', KEYS[2], bit, value) end
          if marks > 0 then redis.call('HINCRBY', KEYS[1], 'marks', marks) end
        end

        """

    /// Members of a topic, a list of pairs of bytes or a bitmap; subscriptions, a list of four bytes each.
    private static let sets = """
        local function aligned(list, bytes, width, shift)
          local from = 1
          while true do
            local at = string.find(list, bytes, from, true)
            if not at or (at - 1 - shift) % width == 0 then return at end
            from = at + 1
          end
        end
        local function pair(offset) return string.char(offset % 256, math.floor(offset / 256)) end
        local function changed(bits, offset, value)
          local at, mask = math.floor(offset / 8) + 1, 2 ^ (offset % 8)
          local byte = string.byte(bits, at)
          byte = value and bit.bor(byte, mask) or bit.band(byte, 255 - mask)
          return string.sub(bits, 1, at - 1) .. string.char(byte) .. string.sub(bits, at + 1)
        end
        local function bitmap(list)
          local bytes = {}
          for i = 1, 512 do bytes[i] = 0 end
          for i = 1, #list, 2 do
            local offset = string.byte(list, i) + string.byte(list, i + 1) * 256
            local at = math.floor(offset / 8) + 1
            bytes[at] = bytes[at] + 2 ^ (offset % 8)
          end
          for i = 1, 512 do bytes[i] = string.char(bytes[i]) end
          return table.concat(bytes)
        end
        -- The members as a list; nothing when there are 128 or more, which most bitmaps tell within a few bytes.
        local function few(bits)
          local list = {}
          for at = 1, 512 do
            local byte = string.byte(bits, at)
            local offset = (at - 1) * 8
            while byte > 0 do
              if byte % 2 == 1 then list[#list + 1] = pair(offset) end
              byte, offset = math.floor(byte / 2), offset + 1
            end
            if #list >= 128 then return nil end
          end
          return table.concat(list)
        end
        local function join(key, field, offset)
          local value = read(key, field) or ''
          if #value == 512 then value = changed(value, offset, true)
          elseif aligned(value, pair(offset), 2, 0) then return
          else
            value = value .. pair(offset)
            if #value == 512 then value = bitmap(value) end
          end
          write(key, field, value)
        end
        local function leave(key, field, offset)
          local value = read(key, field)
          if not value then return end
          if #value == 512 then
            value = changed(value, offset, false)
            value = few(value) or value
          else
            local at = aligned(value, pair(offset), 2, 0)
            if not at then return end
            value = string.sub(value, 1, at - 1) .. string.sub(value, at + 2)
          end
          write(key, field, value ~= '' and value)
        end
        local function place(list, number)
          local suffix = string.sub(struct.pack('<I4', number * 16), 2)
          local from = 1
          while true do
            local at = aligned(string.sub(list, from), suffix, 4, 1)
            if not at then return nil end
            at = at + from - 2
            if math.floor(string.byte(list, at) / 16) == number % 16 then return at end
            from = at + 4
          end
        end

        """

    private static let changes = """
        local results = {0}
        local now, bounded = struct.pack('<I4', tonumber(ARGV[2])), ARGV[3] ~= 'log'
        local function bit_of(offset) return offset - offset % 8 + 7 - offset % 8 end
        local function put(offset, devices, record)
          local field = offset % 128
          local old = read(devices, field)
          if old and string.byte(old) == 255 then return '' end
          write(devices, field, record)
          write(KEYS[3], offset, false)
          bits[bit_of(offset)] = 1
          return old or ''
        end
        local function remove(offset, devices, subscriptions, badges, topics)
          local field = offset % 128
          local old = read(devices, field) or ''
          if old ~= '' and string.byte(old) == 255 then return '' end
          write(devices, field, '\\255' .. now .. old)
          marks = marks + 1
          bits[bit_of(offset)] = 0
          local list = read(subscriptions, field) or ''
          for at = 1, #list, 4 do
            local number = math.floor(struct.unpack('<I4', list, at) / 16)
            local key = KEYS[topics + number % 32]
            leave(key, number, offset)
            leave(key, number .. 'i', offset)
          end
          write(subscriptions, field, false)
          write(badges, field, false)
          write(KEYS[3], offset, false)
          return old
        end
        local function subscribe(offset, subscriptions, topics, number, options)
          local field = offset % 128
          local list = read(subscriptions, field) or ''
          local at = place(list, number)
          if not at and bounded and #list >= 4000 then return nil end
          local entry = struct.pack('<I4', number * 16 + options)
          list = at and string.sub(list, 1, at - 1) .. entry .. string.sub(list, at + 4) or list .. entry
          write(subscriptions, field, list)
          join(topics, number, offset)
          if options % 2 == 1 then join(topics, number .. 'i', offset)
          elseif at then leave(topics, number .. 'i', offset) end
          return at and 0 or 1
        end
        local function unsubscribe(offset, subscriptions, topics, number)
          local field = offset % 128
          local list = read(subscriptions, field) or ''
          local at = place(list, number)
          if not at then return 0 end
          list = string.sub(list, 1, at - 1) .. string.sub(list, at + 4)
          write(subscriptions, field, list ~= '' and list)
          leave(topics, number, offset)
          leave(topics, number .. 'i', offset)
          return 1
        end
        local function set_badge(offset, badges, value)
          write(badges, offset % 128, value ~= '' and value)
          return 0
        end
        local function apply(i)
          local kind, offset = ARGV[i], tonumber(ARGV[i + 2])
          local a, b = KEYS[tonumber(ARGV[i + 3])], KEYS[tonumber(ARGV[i + 4])]
          if kind == 'put' then return put(offset, a, ARGV[i + 6]) end
          if kind == 'remove' then
            return remove(offset, a, b, KEYS[tonumber(ARGV[i + 5])], tonumber(ARGV[i + 6]))
          end
          if kind == 'subscribe' then
            return subscribe(offset, a, b, tonumber(ARGV[i + 6]), tonumber(ARGV[i + 7]))
          end
          if kind == 'unsubscribe' then return unsubscribe(offset, a, b, tonumber(ARGV[i + 6])) end
          return set_badge(offset, a, ARGV[i + 6])
        end

        """

    /// KEYS header, live, failures, and whatever the changes name by their place among the keys.
    /// ARGV generation; now in seconds; condition; its device key; its field; its value; its subscriptions key or 0; the
    /// subscriptions that must be there; then eight for each change: kind, offset in the log, offset, keys a, b and c, and
    /// two values.
    /// Returns {0, then for each change what it found}: the old record of a put or removal, 1 for a subscription that is
    /// new or ended. Without a change: {1} when the device is not there or was removed, {2} when it is not as it was read,
    /// {3} when it has too many subscriptions.
    private static let direct = """
        local function obstacle()
          if ARGV[3] == 'none' then return nil end
          local record = redis.call('HGET', KEYS[tonumber(ARGV[4])], ARGV[5])
          if record and string.byte(record) == 255 then return 1 end
          if ARGV[3] == 'absent' then return record and 2 end
          if not record then return 1 end
          if ARGV[3] == 'record' and record ~= ARGV[6] then return 2 end
          if ARGV[3] == 'living' and string.sub(record, 3, 6) ~= ARGV[6] then return 1 end
          if ARGV[7] == '0' then return nil end
          return (redis.call('HGET', KEYS[tonumber(ARGV[7])], ARGV[5]) or '') ~= ARGV[8] and 2
        end
        local found = obstacle()
        if found then return {found} end
        for i = 9, #ARGV, 8 do
          local result = apply(i)
          if not result then return {3} end
          results[#results + 1] = result
        end
        save()
        return results
        """

    static let commit = RedisScript("#!lua\n" + ready + fields + sets + changes + direct)

    /// The same for changes after which there is less than before: it works in a Redis that is full.
    static let commitShrinking = RedisScript("#!lua flags=allow-oom\n" + ready + fields + sets + changes + direct)

    /// As `commit`, for records of the log: no condition (ARGV 3 is `log`, 5 to 8 are empty), and a change whose offset lies
    /// below what the segment has applied is passed over. ARGV 4 is what the segment must have applied already, or empty:
    /// the offset behind the changes of the script before this one, so that both can be on their way at once. Returns, for
    /// each change that found a record, its place among the changes, from 0, and the record.
    static let applyLogged = RedisScript(
        "#!lua\n" + ready + fields + sets + changes + """
            local applied = tonumber(redis.call('HGET', KEYS[1], 'applied'))
            local next = tonumber(redis.call('HGET', KEYS[1], 'next'))
            if applied < (tonumber(ARGV[4]) or 0) then
              return {err = 'OUTOFTURN ' .. KEYS[1] .. ' has not applied what comes before'}
            end
            local found = {}
            for i = 9, #ARGV, 8 do
              local position = tonumber(ARGV[i + 1])
              if position >= applied then
                local old = apply(i)
                if type(old) == 'string' and old ~= '' then
                  found[#found + 1] = (i - 9) / 8
                  found[#found + 1] = old
                end
                applied = position + 1
                next = math.max(next, tonumber(ARGV[i + 2]) + 1)
              end
            end
            save()
            redis.call('HSET', KEYS[1], 'applied', string.format('%.0f', applied), 'next', next)
            return found
            """)

    /// KEYS header, devices, subscriptions, badges. ARGV generation, field. Returns {record, subscriptions, badge}, each
    /// empty where there is none.
    static let readDevice = RedisScript(
        "#!lua flags=no-writes\n" + ready + """
            return {
              redis.call('HGET', KEYS[2], ARGV[2]) or '', redis.call('HGET', KEYS[3], ARGV[2]) or '',
              redis.call('HGET', KEYS[4], ARGV[2]) or ''
            }
            """)

    /// KEYS header, devices of some buckets. ARGV generation, then for each bucket the wanted fields, a byte each,
    /// or nothing for all of them. Returns for each bucket its living devices side by side: field in a byte, length in
    /// two, record.
    static let readBuckets = RedisScript(
        "#!lua flags=no-writes\n" + ready + """
            local replies = {}
            for i = 2, #KEYS do
              local parts, count = {}, 0
              local function add(field, record)
                if record and string.byte(record) ~= 255 then
                  parts[count + 1] = string.char(field, #record % 256, math.floor(#record / 256))
                  parts[count + 2] = record
                  count = count + 2
                end
              end
              if ARGV[i] == '' then
                local all = redis.call('HGETALL', KEYS[i])
                for at = 1, #all, 2 do add(tonumber(all[at]), all[at + 1]) end
              else
                local fields = {string.byte(ARGV[i], 1, -1)}
                local records = redis.call('HMGET', KEYS[i], unpack(fields))
                for at = 1, #fields do add(fields[at], records[at]) end
              end
              replies[i - 1] = table.concat(parts)
            end
            return replies
            """)

    /// KEYS header, live, topics. ARGV generation, then two for each topic: its key's place and its number. Returns the
    /// living, then for each topic its members and those who ignore messages, each empty where there are none.
    static let readAudience = RedisScript(
        "#!lua flags=no-writes\n" + ready + """
            local sets = {redis.call('GET', KEYS[2]) or ''}
            for i = 2, #ARGV, 2 do
              local found = redis.call('HMGET', KEYS[tonumber(ARGV[i])], ARGV[i + 1], ARGV[i + 1] .. 'i')
              sets[#sets + 1] = found[1] or ''
              sets[#sets + 1] = found[2] or ''
            end
            return sets
            """)

    /// KEYS header, devices, failures. ARGV generation, field, offset, tag, four bytes of the task, bytes of tasks to keep.
    /// Returns how many failures are counted now, or -1 when the device is not there. Kept are their number (u16) and the
    /// tasks of the last of them, the latest first.
    static let countFailure = RedisScript(
        "#!lua flags=allow-oom\n" + ready + """
            local record = redis.call('HGET', KEYS[2], ARGV[2])
            if not record or string.byte(record) == 255 or string.sub(record, 3, 6) ~= ARGV[4] then return -1 end
            local kept = redis.call('HGET', KEYS[3], ARGV[3])
            local count, tasks = 0, ''
            if kept then count, tasks = struct.unpack('<H', kept), string.sub(kept, 3) end
            for at = 1, #tasks, 4 do
              if string.sub(tasks, at, at + 3) == ARGV[5] then return count end
            end
            count = math.min(count + 1, 65535)
            redis.call('HSET', KEYS[3], ARGV[3], struct.pack('<H', count) .. string.sub(ARGV[5] .. tasks, 1, ARGV[6]))
            return count
            """)

    /// KEYS header. ARGV generation, how many. Returns {first offset, how many}: fewer when the segment is nearly full.
    static let allocate = RedisScript(
        "#!lua\n" + ready + """
            local next = tonumber(redis.call('HGET', KEYS[1], 'next'))
            local count = math.min(tonumber(ARGV[2]), 4096 - next)
            redis.call('HSET', KEYS[1], 'next', next + count)
            return {next, count}
            """)

    /// KEYS header. ARGV generation. Makes the segment, unless there is one of this registry; returns its `next`.
    static let createSegment = RedisScript(
        """
        #!lua
        local found = redis.call('HGET', KEYS[1], 'generation')
        if found and found > ARGV[1] then return {err = 'NOTREADY ' .. KEYS[1] .. ' is of a newer registry'} end
        if found ~= ARGV[1] then
          redis.call('DEL', KEYS[1])
          redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'next', 0, 'applied', 0)
        end
        return tonumber(redis.call('HGET', KEYS[1], 'next'))
        """)

    /// KEYS header, topics. ARGV generation, topic number. Returns 1 when the segment holds no member of it.
    static let hasNoMember = RedisScript(
        "#!lua flags=no-writes\n" + ready + """
            return 1 - redis.call('HEXISTS', KEYS[2], ARGV[2])
            """)

    /// KEYS header, devices of up to eight buckets. ARGV generation, seconds. Returns the marks that are older, three values
    /// each: which of the buckets, field, mark.
    static let oldMarks = RedisScript(
        "#!lua flags=no-writes\n" + ready + """
            local marks = {}
            for i = 2, #KEYS do
              local all = redis.call('HGETALL', KEYS[i])
              for at = 1, #all, 2 do
                local record = all[at + 1]
                if string.byte(record) == 255 and struct.unpack('<I4', record, 2) < tonumber(ARGV[2]) then
                  marks[#marks + 1] = i - 2
                  marks[#marks + 1] = tonumber(all[at])
                  marks[#marks + 1] = record
                end
              end
            end
            return marks
            """)

    /// KEYS header, devices. ARGV generation, field, mark. Removes the mark if it is still there; returns whether it was.
    static let dropMark = RedisScript(
        "#!lua flags=allow-oom\n" + ready + """
            if redis.call('HGET', KEYS[2], ARGV[2]) ~= ARGV[3] then return 0 end
            redis.call('HDEL', KEYS[2], ARGV[2])
            redis.call('HINCRBY', KEYS[1], 'marks', -1)
            return 1
            """)
}
