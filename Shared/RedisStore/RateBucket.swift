import RedisClient
package import ServiceKit
package import Store

/// A rate that many processes share: permits that refill evenly, with as many at once as a bucket holds.
///
/// Permits are promised ahead: who asks for more than there are is told how long to wait before using them, in the order
/// of asking, so nobody has to ask again and again.
package struct RateBucket: Sendable {
    package enum Answer: Sendable, Equatable {
        /// They may be used after this wait.
        case granted(after: Duration)
        /// None was taken: they would be there only after this long.
        case refused(Duration)
    }

    package struct Settings: Sendable, Equatable {
        /// Whoever shares a bucket names it so.
        package let name: String
        package let permitsPerMinute: Int
        /// What an idle bucket gives at once.
        package let burst: Int

        package init(name: String, permitsPerMinute: Int, burst: Int) {
            precondition(permitsPerMinute > 0 && burst > 0, "a bucket that never gives makes no sense")
            self.name = name
            self.permitsPerMinute = permitsPerMinute
            self.burst = burst
        }
    }

    private let settings: Settings
    private let redis: StoreConnection
    /// Nil for the server's own time, which all who share a bucket agree on.
    private let time: (any TimeSource)?

    package init(_ settings: Settings, in redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.settings = settings
        self.redis = redis
        self.time = time
    }

    /// The limit is a minute at most.
    package func take(_ permits: Int, waitingAtMost limit: Duration) async throws(StoreError) -> Answer {
        precondition(limit <= .seconds(60), "a longer wait would be taken for one from before the clock was set back")
        let answer = try await redis.run(
            ScriptCall(
                RateBucket.script, keys: ["rate:\(settings.name)"],
                arguments: [
                    time.map { RedisArgument($0.now.milliseconds) } ?? "", RedisArgument(permits),
                    RedisArgument(settings.permitsPerMinute), RedisArgument(settings.burst),
                    RedisArgument(limit.wholeMilliseconds),
                ]))
        guard case .array(let parts) = answer, case .integer(let isGranted)? = parts.first,
            case .integer(let wait)? = parts.last, parts.count == 2
        else { throw StoreError(.corrupt, message: "a rate bucket answered what cannot be read") }
        return isGranted == 1 ? .granted(after: .milliseconds(wait)) : .refused(.milliseconds(wait))
    }

    /// The key holds the time in milliseconds at which all that was promised will have refilled; it is gone a minute
    /// after that. Senders ask while they drain, so it works at the memory bound too.
    private static let script = RedisScript(
        """
        #!lua flags=allow-oom
        local now = tonumber(ARGV[1])
        if not now then
          local time = redis.call('TIME')
          now = time[1] * 1000 + time[2] / 1000
        end
        local each = 60000 / ARGV[3]
        local burst = ARGV[4] * each
        local promised = tonumber(redis.call('GET', KEYS[1]) or 0)
        -- Nobody waits so long: it was promised before the clock was set back.
        if promised - now > burst + 60000 then promised = 0 end
        local due = math.max(promised, now) + ARGV[2] * each
        local wait = math.max(0, math.ceil(due - now - burst))
        if wait > tonumber(ARGV[5]) then return {0, wait} end
        redis.call('SET', KEYS[1], string.format('%.3f', due), 'PX', math.ceil(due - now) + 60000)
        return {1, wait}
        """)
}
