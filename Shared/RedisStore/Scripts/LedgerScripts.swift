import RedisClient

/// Every step of the ledger that must be atomic. Those of a segment touch keys of that segment only, those of a task as
/// a whole that task's.
///
/// A ledger is a string: a header of 30 bytes (version u8, flags u8, deadline u48 in milliseconds, counts of the states
/// 1 to 11 as u16), then the states. Up to 512 devices are entries of two bytes (offset << 4 | state) in rising order;
/// more are 2,048 bytes with one nibble for each device of the segment, the even offset in the low one. Behind the only
/// entry of a ledger stands that device's detail. All numbers have their lowest byte first; sets of offsets travel as
/// ranges, first and last offset as u16.
///
/// A Redis at its `maxmemory` refuses plans, segments and marks, with which tasks begin. Whatever brings tasks to their
/// end carries `flags=allow-oom`, or a full house could never empty itself.
enum LedgerScripts {
    static func start(_ flags: String) -> String { flags.isEmpty ? "#!lua\n" : "#!lua flags=\(flags)\n" }

    /// ARGV 1 is the time, see there.
    private static let clock = RedisClock.script

    /// KEYS 1 is the ledger. `states` holds what `load` has read; `save` writes that window back, with the header.
    static let ledger = """
        local CANCELLED, CLOSED, FAST, AT_MOST_ONCE, DENSE, TOLD = 1, 2, 4, 8, 16, 32
        local SPARSE_MAXIMUM = 512
        local byte, char, floor = string.byte, string.char, math.floor
        local ledger = KEYS[1]
        local head, states, order, first, last = nil, {}, {}, 0, -1

        local text = redis.call('GETRANGE', ledger, 0, 29)
        if text ~= '' then head = {struct.unpack('<BBI6HHHHHHHHHHH', text)} end

        local function newHead(flags, deadline)
          return {1, tonumber(flags), tonumber(deadline), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
        end

        local function has(flag) return bit.band(head[2], flag) ~= 0 end
        local function set(flag) head[2] = bit.bor(head[2], flag) end
        local function header() return struct.pack('<BBI6HHHHHHHHHHH', unpack(head, 1, 14)) end
        local function marked()
          local sum = 0
          for state = 4, 14 do sum = sum + head[state] end
          return sum
        end

        local function move(offset, state)
          local from = states[offset] or 0
          if from > 0 then head[from + 3] = head[from + 3] - 1 end
          head[state + 3] = head[state + 3] + 1
          states[offset] = state
        end

        local function eachRange(text, body)
          for at = 1, #text, 4 do
            local a, b, c, d = byte(text, at, at + 3)
            body(a + b * 256, c + d * 256)
          end
        end

        local function each(text, body)
          eachRange(text, function(from, to) for offset = from, to do body(offset) end end)
        end

        local function span(text)
          local a, b = byte(text, 1, 2)
          local c, d = byte(text, -2, -1)
          return a + b * 256, c + d * 256
        end

        -- Ranges of offsets that are added in rising order.
        local function collector()
          local list, from, to = {}, nil, nil
          local function flush()
            if from then list[#list + 1] = char(from % 256, floor(from / 256), to % 256, floor(to / 256)) end
          end
          return {
            add = function(offset)
              if to and offset == to + 1 then to = offset return end
              flush()
              from, to = offset, offset
            end,
            text = function()
              flush()
              from, to = nil, nil
              return table.concat(list)
            end
          }
        end

        -- The ranges of the offsets that are keys of the table.
        local function rangesOf(set)
          local list = collector()
          for offset = 0, 4095 do if set[offset] then list.add(offset) end end
          return list.text()
        end

        local function loadDense(from, to)
          first, last = floor(from / 2), floor(to / 2)
          local text = redis.call('GETRANGE', ledger, 30 + first, 30 + last)
          for at = 1, #text do
            local pair = byte(text, at)
            local low, offset = pair % 16, 2 * (first + at - 1)
            states[offset], states[offset + 1] = low, (pair - low) / 16
          end
        end

        local function loadSparse(from, to)
          local count = marked()
          local text = redis.call('GETRANGE', ledger, 30, 29 + 2 * count)
          local function entry(index)
            local a, b = byte(text, 2 * index + 1, 2 * index + 2)
            local value = a + b * 256
            local state = value % 16
            return (value - state) / 16, state
          end
          local low, high = 0, count
          while low < high do
            local middle = floor((low + high) / 2)
            if entry(middle) < from then low = middle + 1 else high = middle end
          end
          first, last = low, low - 1
          while last + 1 < count do
            local offset, state = entry(last + 1)
            if offset > to then break end
            last = last + 1
            order[#order + 1] = offset
            states[offset] = state
          end
        end

        local function load(from, to)
          states, order = {}, {}
          if has(DENSE) then loadDense(from, to) else loadSparse(from, to) end
        end

        local function saveHeader() redis.call('SETRANGE', ledger, 0, header()) end

        local function save()
          local bytes, width = {}, 2
          if has(DENSE) then
            width = 1
            for at = first, last do bytes[#bytes + 1] = states[2 * at] + 16 * states[2 * at + 1] end
          else
            for _, offset in ipairs(order) do
              local value = offset * 16 + states[offset]
              bytes[#bytes + 1], bytes[#bytes + 2] = value % 256, floor(value / 256)
            end
          end
          if #bytes > 0 then redis.call('SETRANGE', ledger, 30 + width * first, char(unpack(bytes))) end
          saveHeader()
        end

        local function isAlone() return not has(DENSE) and marked() == 1 end
        local function ownDetail() return redis.call('GETRANGE', ledger, 32, -1) end


        """

    /// Writes the whole ledger, in whichever form it has grown to.
    static let saving = """
        local function dense()
          local bytes = {}
          for at = 0, 2047 do bytes[at + 1] = (states[2 * at] or 0) + 16 * (states[2 * at + 1] or 0) end
          return char(unpack(bytes))
        end

        local function sparse()
          local bytes = {}
          for offset = 0, 4095 do
            local state = states[offset]
            if state then
              local value = offset * 16 + state
              bytes[#bytes + 1], bytes[#bytes + 2] = value % 256, floor(value / 256)
            end
          end
          return char(unpack(bytes))
        end

        local function saveAll()
          if marked() > SPARSE_MAXIMUM then set(DENSE) end
          local body = has(DENSE) and dense() or sparse()
          redis.call('SET', ledger, header() .. body)
        end


        """

    /// KEYS 1 is the ledger, 2 its claims. `holders` says who holds each offset that is claimed.
    private static let claims = """
        local function readClaim(name, text)
          local leaseEnd, attempt = struct.unpack('<I6B', text)
          return {name = name, leaseEnd = leaseEnd, attempt = attempt, ranges = string.sub(text, 8)}
        end

        local function writeClaim(claim)
          if claim.ranges == '' then
            redis.call('HDEL', KEYS[2], claim.name)
          else
            redis.call('HSET', KEYS[2], claim.name, struct.pack('<I6B', claim.leaseEnd, claim.attempt) .. claim.ranges)
          end
        end

        local function union(some, others)
          local all = {}
          each(some, function(offset) all[offset] = true end)
          each(others, function(offset) all[offset] = true end)
          return rangesOf(all)
        end

        local function without(claim, gone)
          local left = collector()
          each(claim.ranges, function(offset) if not gone[offset] then left.add(offset) end end)
          claim.ranges = left.text()
          writeClaim(claim)
        end

        local function readHolders()
          local holders, all = {}, {}
          local fields = redis.call('HGETALL', KEYS[2])
          for at = 1, #fields, 2 do
            local claim = readClaim(fields[at], fields[at + 1])
            all[#all + 1] = claim
            each(claim.ranges, function(offset) holders[offset] = claim end)
          end
          return holders, all
        end


        """

    /// Which devices are told of: of a device that is alone a flag says so. Else a field of the details holds ranges, in
    /// the order in which they were noted, until they would be as long as a bit for each device of the segment, the lowest
    /// offset in the lowest bit of the first byte.
    private static let told = """
        local BITMAP = 512

        local function eachTold(text, body)
          if #text < BITMAP then each(text, body) return end
          for at = 1, BITMAP do
            local bits = byte(text, at)
            for place = 0, 7 do
              if bits % 2 == 1 then body(8 * (at - 1) + place) end
              bits = floor(bits / 2)
            end
          end
        end

        local function bitmap(text, ranges)
          local bytes = {}
          for at = 1, BITMAP do bytes[at] = #text == BITMAP and byte(text, at) or 0 end
          local function add(offset)
            local at = floor(offset / 8) + 1
            bytes[at] = bit.bor(bytes[at], bit.lshift(1, offset % 8))
          end
          if #text < BITMAP then each(text, add) end
          each(ranges, add)
          return char(unpack(bytes))
        end


        """

    /// KEYS ledger, details. ARGV flags and deadline of a new ledger, whether the task is cancelled, ranges. Returns
    /// the ranges of devices that are open; 1 when all are, 0 when the task is cancelled, nothing when the segment is
    /// closed.
    static let mark = RedisScript(
        start("") + ledger + saving + """
            head = head or newHead(ARGV[1], ARGV[2])
            if has(CLOSED) then return false end
            if ARGV[3] == '1' then set(CANCELLED) end
            local isNew, detail, wasTold = text == '', '', false
            if not isNew then
              if isAlone() then detail, wasTold = ownDetail(), has(TOLD) end
              load(0, 4095)
            end
            local alone, before = order[1], marked()
            local initial = has(CANCELLED) and 10 or 1
            local open, hasEnded = collector(), false
            each(ARGV[4], function(offset)
              local state = states[offset] or 0
              if state == 0 then
                move(offset, initial)
              elseif state > 3 then
                hasEnded = true
                return
              end
              open.add(offset)
            end)
            if marked() == before and not isNew then
              saveHeader()
            else
              saveAll()
              if detail ~= '' then redis.call('HSET', KEYS[2], alone, detail) end
              if wasTold then redis.call('HSET', KEYS[2], 'told', struct.pack('<HH', alone, alone)) end
            end
            if has(CANCELLED) then return 0 end
            return hasEnded and open.text() or 1
            """)

    /// KEYS ledger, claims, details, then the registry's badges of each bucket that the offsets touch, in rising order.
    /// ARGV now, name of the claim, attempt, lease in milliseconds, ranges. Returns a byte for each offset, in rising
    /// order: 0 never marked, 1 held, 2 claimed, 3 superseded, 12 told of, else the state it ended in; then a badge (u32, all ones
    /// for none) for each that is claimed, when there are keys of badges; then what is left of the lease (u48 ms) for each
    /// that is held. Nothing when there is no ledger.
    static let claim = RedisScript(
        start("allow-oom") + clock + ledger + claims + told + """
            if not head then return false end
            local HELD, CLAIMED, SUPERSEDED, KNOWN = 1, 2, 3, 12
            local name, attempt, ranges = ARGV[2], tonumber(ARGV[3]), ARGV[5]
            if ranges == '' then return {'', '', ''} end
            local ending = has(CANCELLED) and 10 or now >= head[3] and 8 or nil
            local answers, badges, leases, taken, losers, holders = {}, {}, {}, collector(), {}, nil
            local bucket, key = -1, 3

            local function badge(offset, isFirst)
              if #KEYS == 3 then return end
              local command = isFirst and {'HINCRBY', KEYS[key], offset % 128, 1} or {'HGET', KEYS[key], offset % 128}
              local value = redis.call(unpack(command))
              badges[#badges + 1] = struct.pack('<I4', value and math.min(tonumber(value), 4294967294) or 4294967295)
            end

            local function nextAttempt(offset)
              local detail = isAlone() and ownDetail() or redis.call('HGET', KEYS[3], offset)
              return detail and byte(detail, 1) or 0
            end

            local known
            local function isTold(offset)
              if isAlone() then return has(TOLD) end
              if not known then
                known = {}
                eachTold(redis.call('HGET', KEYS[3], 'told') or '', function(told) known[told] = true end)
              end
              return known[offset]
            end

            local function take(offset, isFirst)
              move(offset, 2)
              taken.add(offset)
              badge(offset, isFirst)
              return CLAIMED
            end

            local function finish(offset, state)
              move(offset, state)
              return state
            end

            local function lose(holder, offset)
              if not holder then return end
              losers[holder] = losers[holder] or {}
              losers[holder][offset] = true
            end

            local function contest(offset)
              holders = holders or readHolders()
              local holder = holders[offset]
              if holder and attempt < holder.attempt then return SUPERSEDED end
              if holder and holder.name == name then return take(offset, false) end
              if holder and now < holder.leaseEnd then
                leases[#leases + 1] = struct.pack('<I6', holder.leaseEnd - now)
                return HELD
              end
              lose(holder, offset)
              if holder and attempt > holder.attempt then
                return ending and finish(offset, ending) or take(offset, false)
              end
              if ending or has(AT_MOST_ONCE) then return finish(offset, 11) end
              return take(offset, false)
            end

            local function decide(offset)
              local state = states[offset] or 0
              if state == 0 then return state end
              if state > 3 then return isTold(offset) and KNOWN or state end
              if state == 2 then return contest(offset) end
              if ending then return finish(offset, ending) end
              if state == 3 and attempt < nextAttempt(offset) then return SUPERSEDED end
              return take(offset, state == 1)
            end

            -- Most claims are the first of all their devices, which one look at the states tells.
            local function takeAll()
              local count, targeted = 0, 0
              each(ranges, function(offset)
                count = count + 1
                if states[offset] == 1 then targeted = targeted + 1 end
              end)
              if ending or #KEYS > 3 or targeted < count then return nil end
              each(ranges, function(offset) states[offset] = 2 end)
              head[4], head[5] = head[4] - count, head[5] + count
              return string.rep(char(CLAIMED), count)
            end

            local function takeEach()
              each(ranges, function(offset)
                if floor(offset / 128) ~= bucket then bucket, key = floor(offset / 128), key + 1 end
                answers[#answers + 1] = decide(offset)
              end)
              return char(unpack(answers))
            end

            load(span(ranges))
            local reply = takeAll()
            local mine = ranges
            if not reply then
              reply = takeEach()
              mine = taken.text()
            end
            save()
            for holder, gone in pairs(losers) do without(holder, gone) end
            if mine ~= '' then
              local before = redis.call('HGET', KEYS[2], name)
              if before then mine = union(string.sub(before, 8), mine) end
              writeClaim({name = name, leaseEnd = now + ARGV[4], attempt = attempt, ranges = mine})
            end
            return {reply, table.concat(badges), table.concat(leases)}
            """)

    /// KEYS ledger, claims. ARGV now, name of the claim, lease in milliseconds. Returns 1, or 0 when it holds nothing.
    static let renew = RedisScript(
        start("allow-oom") + clock + """
            local text = redis.call('HGET', KEYS[2], ARGV[2])
            if not text then return 0 end
            redis.call('HSET', KEYS[2], ARGV[2], struct.pack('<I6', now + ARGV[3]) .. string.sub(text, 7))
            return 1
            """)

    /// KEYS ledger, claims, details. ARGV now, name of the claim, time of the attempt or nothing for now, then for each
    /// group state, attempt, status, reason, ranges. Returns the ranges that are refused; 1 when all are, nothing when
    /// there is no ledger.
    static let settle = RedisScript(
        start("allow-oom") + clock + ledger + claims + """
            if not head then return false end
            local text = redis.call('HGET', KEYS[2], ARGV[2])
            if not text then return 1 end
            local claim = readClaim(ARGV[2], text)
            local attempted = tonumber(ARGV[3]) or now
            local held, refused = nil, {}

            local function holdAll()
              held = {}
              each(claim.ranges, function(offset) held[offset] = true end)
            end

            -- What of the ranges the claim holds, which from now on it does not.
            local function release(ranges)
              if not held and ranges == claim.ranges then
                claim.ranges = ''
                return ranges
              end
              if not held then holdAll() end
              local kept = collector()
              each(ranges, function(offset)
                if held[offset] then kept.add(offset) else refused[offset] = true end
                held[offset] = nil
              end)
              return kept.text()
            end

            local function tell(ranges, detail)
              if isAlone() then
                redis.call('SET', ledger, redis.call('GETRANGE', ledger, 0, 31) .. detail, 'KEEPTTL')
                return
              end
              local fields = {}
              each(ranges, function(offset)
                fields[#fields + 1], fields[#fields + 2] = offset, detail
                if #fields == 1000 then redis.call('HSET', KEYS[3], unpack(fields)) fields = {} end
              end)
              if #fields > 0 then redis.call('HSET', KEYS[3], unpack(fields)) end
            end

            for at = 4, #ARGV, 5 do
              local state, attempt = tonumber(ARGV[at]), math.max(tonumber(ARGV[at + 1]), claim.attempt)
              local ranges = release(ARGV[at + 4])
              if ranges ~= '' then
                load(span(ranges))
                each(ranges, function(offset) move(offset, state) end)
                save()
                if has(FAST) or attempt > 0 or (state ~= 4 and state ~= 3) then
                  tell(ranges, struct.pack('<BI6H', attempt, attempted, tonumber(ARGV[at + 2])) .. ARGV[at + 3])
                end
              end
            end
            if held then claim.ranges = rangesOf(held) end
            writeClaim(claim)
            return next(refused) and rangesOf(refused) or ''
            """)

    /// KEYS ledger, details. ARGV ranges of devices that have ended and are told of. The details of a segment that is
    /// closed have no life of their own before the first of them is written.
    static let noteTold = RedisScript(
        start("allow-oom") + ledger + told + """
            if not head then return 0 end
            if isAlone() then
              load(span(ARGV[1]))
              if #order == 1 and not has(TOLD) then
                set(TOLD)
                saveHeader()
              end
              return 1
            end
            local text = redis.call('HGET', KEYS[2], 'told') or ''
            local isShort = #text + #ARGV[1] < BITMAP
            redis.call('HSET', KEYS[2], 'told', isShort and text .. ARGV[1] or bitmap(text, ARGV[1]))
            if has(CLOSED) and redis.call('PTTL', KEYS[2]) == -1 then
              local left = redis.call('PTTL', ledger)
              if left > 0 then redis.call('PEXPIRE', KEYS[2], left) end
            end
            return 1
            """)

    /// KEYS ledger, details. ARGV offset. Returns the ledger and the device's detail.
    static let look = RedisScript(
        start("no-writes") + """
            return {redis.call('GET', KEYS[1]) or '', redis.call('HGET', KEYS[2], ARGV[1]) or ''}
            """)

    /// KEYS ledger. ARGV flags and deadline of a new ledger. Returns the ranges that have ended.
    static let cancel = RedisScript(
        start("allow-oom") + ledger + """
            head = head or newHead(ARGV[1], ARGV[2])
            set(CANCELLED)
            local ended = collector()
            if head[4] + head[6] > 0 then
              load(0, 4095)
              for offset = 0, 4095 do
                local state = states[offset]
                if state == 1 or state == 3 then
                  move(offset, 10)
                  ended.add(offset)
                end
              end
              save()
            else
              saveHeader()
            end
            return ended.text()
            """)

    /// KEYS ledger, claims. ARGV now, how those end that nobody has claimed. Returns the ranges that have ended open, the
    /// state they ended in, and the ranges of which nobody knows; nothing when there is no ledger, or the deadline has not
    /// come.
    static let expire = RedisScript(
        start("allow-oom") + clock + ledger + claims + """
            if not head or now < head[3] then return false end
            local final = has(CANCELLED) and 10 or tonumber(ARGV[2])
            local unknown, losers = collector(), {}
            local ended = final == 11 and unknown or collector()
            if head[4] + head[5] + head[6] == 0 then return {'', final, ''} end
            load(0, 4095)
            local holders = readHolders()
            for offset = 0, 4095 do
              local state, holder = states[offset], holders[offset]
              if state == 1 or state == 3 then
                move(offset, final)
                ended.add(offset)
              elseif state == 2 and not (holder and now < holder.leaseEnd) then
                move(offset, 11)
                unknown.add(offset)
                if holder then losers[holder.name] = true end
              end
            end
            save()
            for name in pairs(losers) do redis.call('HDEL', KEYS[2], name) end
            return {final == 11 and '' or ended.text(), final, unknown.text()}
            """)

    /// KEYS ledger, details. ARGV flags and deadline of a new ledger, milliseconds to keep the ledger and the details.
    /// Returns the final counts; nothing while devices are open. A ledger that is not there is made, so that a mark
    /// that was long on its way finds the segment closed.
    static let close = RedisScript(
        start("allow-oom") + ledger + """
            head = head or newHead(ARGV[1], ARGV[2])
            if head[4] + head[5] + head[6] > 0 then return false end
            if not has(CLOSED) then
              set(CLOSED)
              saveHeader()
              redis.call('PEXPIRE', ledger, ARGV[3])
              redis.call('PEXPIRE', KEYS[2], ARGV[4])
            end
            return string.sub(header(), 9)
            """)

    /// KEYS 1 is the task, 2 its jobs, 3 its open segments, 4 its sums. Returns plan, resolved jobs, whether it is
    /// cancelled, time of closing, totals, open segments and the sums of closed ones; nothing without a plan.
    private static let view = """
        local fields = redis.call('HMGET', KEYS[1], 'plan', 'resolved', 'cancelled', 'closed', 'totals')
        if not fields[1] then return false end
        return {fields[1], fields[2] or '0', fields[3] and 1 or 0, fields[4] or '', fields[5] or '',
          redis.call('SMEMBERS', KEYS[3]), redis.call('HGETALL', KEYS[4])}
        """

    static let progress = RedisScript(start("no-writes") + view)

    /// KEYS task, jobs. ARGV plan, number of jobs. Returns the plan that holds. The bitmap has its size from now on, so
    /// that resolving a job takes no more room.
    static let plan = RedisScript(
        start("") + """
            local plan = redis.call('HGET', KEYS[1], 'plan')
            if plan then return plan end
            redis.call('HSET', KEYS[1], 'plan', ARGV[1], 'jobs', ARGV[2])
            redis.call('PERSIST', KEYS[1])
            if tonumber(ARGV[2]) > 0 then redis.call('SETBIT', KEYS[2], ARGV[2] - 1, 0) end
            return ARGV[1]
            """)

    /// KEYS task, open segments. ARGV plan of a task with one job, whom it means, its segments. Returns the plan that is
    /// there already, else whether the task is cancelled.
    static let begin = RedisScript(
        start("") + """
            local plan = redis.call('HGET', KEYS[1], 'plan')
            if plan then return plan end
            redis.call('HSET', KEYS[1], 'plan', ARGV[1], 'jobs', 1, 'meant', ARGV[2])
            redis.call('PERSIST', KEYS[1])
            if #ARGV > 2 then redis.call('SADD', KEYS[2], unpack(ARGV, 3)) end
            return redis.call('HEXISTS', KEYS[1], 'cancelled')
            """)

    /// KEYS task, jobs. ARGV job. Returns the number of jobs when there is no such job, else nothing. Once all are
    /// resolved their bits are needed no more.
    static let resolve = RedisScript(
        start("allow-oom") + """
            local jobs = tonumber(redis.call('HGET', KEYS[1], 'jobs') or '-1')
            if jobs < 0 then return false end
            if tonumber(redis.call('HGET', KEYS[1], 'resolved') or '0') == jobs then return false end
            if tonumber(ARGV[1]) < 0 or tonumber(ARGV[1]) >= jobs then return jobs end
            if redis.call('SETBIT', KEYS[2], ARGV[1], 1) == 1 then return false end
            if redis.call('HINCRBY', KEYS[1], 'resolved', 1) == jobs then
              redis.call('DEL', KEYS[2])
              redis.call('HDEL', KEYS[1], 'meant')
            end
            return false
            """)

    /// KEYS task, jobs. ARGV job. Returns 1 when it is resolved, else 0; nothing without a plan. Where all are, so is a job
    /// beyond them: the plan of a task that was restored does not know how many there were.
    static let isResolved = RedisScript(
        start("no-writes") + """
            local fields = redis.call('HMGET', KEYS[1], 'jobs', 'resolved')
            local jobs, job = tonumber(fields[1] or '-1'), tonumber(ARGV[1])
            if jobs < 0 then return false end
            if tonumber(fields[2] or '0') == jobs then return 1 end
            if job < 0 or job >= jobs then return 0 end
            return redis.call('GETBIT', KEYS[2], job)
            """)

    /// KEYS task, jobs, open segments. ARGV segment, its app. Returns plan and whether the task is cancelled, once the
    /// segment is entered; nothing where no device may be marked. Every mark of a resolved job is made: to enter a
    /// segment after the last could only be to make them a second time, in one that is closed and whose ledger may be
    /// gone.
    private static let enterSegment = """
        local fields = redis.call('HMGET', KEYS[1], 'plan', 'jobs', 'resolved', 'cancelled', 'closed', 'restoring')
        if not fields[1] or fields[5] or fields[6] then return false end
        if string.sub(fields[1], 2, 1 + string.byte(fields[1])) ~= ARGV[2] then return false end
        if redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 0 then
          if fields[2] == (fields[3] or '0') then return false end
          redis.call('SADD', KEYS[3], ARGV[1])
        end
        return {fields[1], fields[4] and 1 or 0}
        """

    static let enter = RedisScript(start("") + enterSegment)

    /// As `enter`, after the task is cancelled. ARGV 3: how long to remember that without a plan.
    static let enterToCancel = RedisScript(
        start("allow-oom") + """
            if redis.call('HEXISTS', KEYS[1], 'closed') == 1 then return false end
            redis.call('HSET', KEYS[1], 'cancelled', 1)
            if redis.call('HEXISTS', KEYS[1], 'plan') == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end

            """ + enterSegment)

    /// KEYS task, jobs, open segments, sums. ARGV now, milliseconds to keep the task, whether its segments are to be known
    /// afterwards, then segment and final counts in turn. Answers as `progress`.
    static let finish = RedisScript(
        start("allow-oom") + clock + """
            local done = redis.call('HMGET', KEYS[1], 'closed', 'restoring')
            if not done[1] and not done[2] then
              for at = 4, #ARGV, 2 do
                redis.call('HSET', KEYS[4], ARGV[at], ARGV[at + 1])
                redis.call('SREM', KEYS[3], ARGV[at])
              end
              local fields = redis.call('HMGET', KEYS[1], 'jobs', 'resolved')
              if fields[1] == (fields[2] or '0') and redis.call('EXISTS', KEYS[3]) == 0 then
                local totals = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
                for _, text in ipairs(redis.call('HVALS', KEYS[4])) do
                  local counts = {struct.unpack('<HHHHHHHHHHH', text)}
                  for state = 1, 11 do totals[state] = totals[state] + counts[state] end
                end
                redis.call('HSET', KEYS[1], 'closed', string.format('%.0f', now),
                  'totals', struct.pack('<IIIIIIIIIII', unpack(totals)))
                if ARGV[3] == '1' then
                  redis.call('HSET', KEYS[1], 'segments', table.concat(redis.call('HKEYS', KEYS[4]), ','))
                end
                redis.call('DEL', KEYS[4])
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
              end
            end

            """ + view)
}
