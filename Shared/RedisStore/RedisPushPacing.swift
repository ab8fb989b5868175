package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// Slots in Redis. The keys of one rate share a hash tag.
package struct RedisPushPacing: PushPacing {
    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all processes share.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func reserve(
        _ count: Int, as name: String, of task: TaskID, at rate: PushRate
    ) async throws(StoreError) -> Timestamp? {
        let tag = RedisPushPacing.tag(of: rate.scope)
        let answer = try await redis.run(
            PacingScripts.reserve,
            keys: [RedisArgument("reserved:\(tag)"), RedisArgument("reserved:\(tag):\(task.key)")],
            arguments: [
                now, RedisArgument(PacingBounds.horizon.wholeMilliseconds), RedisArgument(name), RedisArgument(count),
                RedisArgument("\(PacingBounds.microseconds(at: rate))"),
            ])
        if case .null = answer { return nil }
        guard let first = answer.integer else { throw unreadable }
        return Timestamp(milliseconds: Int64(first))
    }

    package func take(_ count: Int, at rate: PushRate) async throws(StoreError) -> TakenSlots {
        let answer = try await redis.run(
            PacingScripts.take, keys: [RedisArgument("taken:\(RedisPushPacing.tag(of: rate.scope))")],
            arguments: [
                now, RedisArgument(PacingBounds.takenAhead.wholeMilliseconds), RedisArgument(count),
                RedisArgument("\(PacingBounds.microseconds(at: rate))"),
                RedisArgument(PacingBounds.grace.wholeMilliseconds),
            ])
        guard let parts = answer.array, parts.count == 2, let count = parts[0].integer, let wait = parts[1].integer
        else { throw unreadable }
        return TakenSlots(count: Int(count), wait: .microseconds(wait))
    }

    private var now: RedisArgument { time.map { RedisArgument($0.now.milliseconds) } ?? "" }

    private static func tag(of scope: PushRate.Scope) -> String {
        switch scope {
        case .task(let task): "{task/\(task.key)}"
        case .group(let app, let id): "{group/\(app)/\(id)}"
        case .app(let app): "{app/\(app)}"
        }
    }

    private var unreadable: StoreError {
        StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the slots of a rate")
    }
}
