import RedisClient
import ServiceKit
import Store

/// Every step of an outage. KEYS 1 is the hash; a field's value is the end of the pause, how often it was extended, and
/// until when a probe and a nominee are under way, in decimal digits with spaces between. Times are in milliseconds.
///
/// All carry `flags=allow-oom`: senders drain, and must be able to pause at the memory bound.
enum ProviderOutageScripts {
    private static let start =
        "#!lua flags=allow-oom\n" + RedisClock.script + """
            local key, field = KEYS[1], ARGV[2]
            local MEMORY, PROBE_PAUSE, LEVELS = \(ProviderOutageBounds.memory.wholeMilliseconds), \
            \(ProviderOutageBounds.probePause.wholeMilliseconds), \(ProviderOutageBounds.levelMaximum)
            local function parse(text)
              local finish, level, probe, nominee = string.match(text or '', '^(%d+) (%d+) (%d+) (%d+)$')
              finish = tonumber(finish)
              if not finish or now >= finish + MEMORY then return nil end
              return finish, tonumber(level), tonumber(probe), tonumber(nominee)
            end
            local function write(finish, level, probe, nominee)
              redis.call('HSET', key, field, string.format('%.0f %d %.0f %.0f', finish, level, probe, nominee))
              redis.call('PEXPIRE', key, math.ceil(math.max(finish - now, 0)) + MEMORY)
            end

            """

    /// ARGV now. Returns routes, and what is left of each pause, in turn.
    static let read = RedisScript(
        "#!lua flags=no-writes\n" + RedisClock.script + """
            local answer = {}
            local fields = redis.call('HGETALL', KEYS[1])
            for at = 1, #fields, 2 do
              local finish = tonumber(string.match(fields[at + 1], '^(%d+) '))
              if finish and now < finish + \(ProviderOutageBounds.memory.wholeMilliseconds) then
                answer[#answer + 1], answer[#answer + 2] = fields[at], finish - now
              end
            end
            return answer
            """)

    /// ARGV now, route, first and longest pause, jitter in thousandths, whether it is the probe that failed. Returns
    /// what is left of the pause.
    static let extend = RedisScript(
        start + """
            local finish, level, probe = parse(redis.call('HGET', key, field))
            if finish then
              if now < finish then return finish - now end
              if ARGV[6] ~= '1' and now < probe then return PROBE_PAUSE end
            end
            level = finish and math.min(level + 1, LEVELS) or 0
            local ceiling = math.min(tonumber(ARGV[4]), tonumber(ARGV[3]) * 2 ^ level)
            local pause = math.floor(ceiling / 2 + ceiling / 2 * ARGV[5] / 1000)
            write(now + pause, level, 0, 0)
            return pause
            """)

    /// ARGV now, route, lease. Returns -1 without an outage, 0 when it is granted, else how long to wait.
    static let probe = RedisScript(
        start + """
            local finish, level, probe, nominee = parse(redis.call('HGET', key, field))
            if not finish then return -1 end
            if now < finish then return math.ceil(finish - now) end
            if now < probe then return PROBE_PAUSE end
            write(finish, level, now + ARGV[3], nominee)
            return 0
            """)

    /// ARGV now, route.
    static let giveBackProbe = RedisScript(
        start + """
            local finish, level, probe, nominee = parse(redis.call('HGET', key, field))
            if finish then write(finish, level, 0, nominee) end
            return 1
            """)

    /// ARGV now, route, lease. Returns 1 when it is granted.
    static let nominate = RedisScript(
        start + """
            local finish, level, probe, nominee = parse(redis.call('HGET', key, field))
            if not finish or now < finish or now < nominee or now < probe then return 0 end
            write(finish, level, probe, now + ARGV[3])
            return 1
            """)
}
