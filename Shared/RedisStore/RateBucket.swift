import RedisClient
package import ServiceKit
package import Store

/// A rate limit shared by many processes: permits refill evenly, up to the size of the bucket.
///
/// Permits are reserved in advance: a caller that requests more than are available receives the time to wait before it
/// uses them, in the order of requests, so callers do not need to poll.
package struct RateBucket: Sendable {
    package enum Answer: Sendable, Equatable {
        /// The permits may be used after this wait.
        case granted(after: Duration)
        /// No permit was taken; they would be available only after this time.
        case refused(Duration)
    }

    package struct Settings: Sendable, Equatable {
        /// All users of a bucket use the same name.
        package let name: String
        package let permitsPerMinute: Int
        /// Number of permits an idle bucket grants immediately.
        package let burst: Int

        package init(name: String, permitsPerMinute: Int, burst: Int) {
            precondition(permitsPerMinute > 0 && burst > 0, "permitsPerMinute and burst must be positive")
            self.name = name
            self.permitsPerMinute = permitsPerMinute
            self.burst = burst
        }
    }

    private let settings: Settings
    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all users of a bucket share.
    private let time: (any TimeSource)?

    package init(_ settings: Settings, in redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.settings = settings
        self.redis = redis
        self.time = time
    }

    /// The limit is at most one minute.
    package func take(_ permits: Int, waitingAtMost limit: Duration) async throws(StoreError) -> Answer {
        precondition(limit <= .seconds(60), "the limit is at most 60 s; a longer wait looks like a clock set back")
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
        else { throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode a rate bucket") }
        return isGranted == 1 ? .granted(after: .milliseconds(wait)) : .refused(.milliseconds(wait))
    }

    /// The key holds the time in milliseconds at which all reserved permits are refilled; it expires a minute after
    /// that. Senders call this while they drain, so it also works at the memory limit.
    static let script = RedisScript(PackageResources.take_permits_lua)
}
