package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The moments of users in Redis: the waiting tasks of some users in one hash, and a key that expires for each moment.
package struct RedisUserMoments: UserMoments {
    static let enter = RedisScript(PackageResources.enter_awaiting_lua, using: .clock, .awaiting)
    static let leave = RedisScript(PackageResources.leave_awaiting_lua, using: .clock, .awaiting)
    static let begin = RedisScript(PackageResources.begin_moment_lua, using: .clock, .awaiting)

    private let redis: StoreConnection
    /// Nil for the clock of the Redis server.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func enter(
        _ task: TaskID, until end: Timestamp, of user: UserKey
    ) async throws(StoreError) -> Timestamp? {
        let answer = try await run(
            RedisUserMoments.enter, user,
            [
                RedisArgument(task.bytes), RedisArgument(end.milliseconds),
                RedisArgument(UserMomentBounds.tasksMaximum),
            ])
        return answer.integer.map { Timestamp(milliseconds: Int64($0)) }
    }

    package func leave(_ tasks: [TaskID], of user: UserKey) async throws(StoreError) {
        _ = try await run(RedisUserMoments.leave, user, tasks.map { RedisArgument($0.bytes) })
    }

    package func begin(until end: Timestamp, of user: UserKey) async throws(StoreError) -> [TaskID] {
        let answer = try await run(RedisUserMoments.begin, user, [RedisArgument(end.milliseconds)])
        guard let parts = answer.array else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode the tasks of a user")
        }
        return parts.compactMap { $0.bytes.flatMap { TaskID(bytes: $0) } }
    }

    package func end(of user: UserKey) async throws(StoreError) {
        _ = try await redis.send(RedisCommand("DEL", UserMomentKeys(user).moment))
    }

    private func run(
        _ script: RedisScript, _ user: UserKey, _ arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue {
        let keys = UserMomentKeys(user)
        let now: RedisArgument = time.map { RedisArgument($0.now.milliseconds) } ?? ""
        return try await redis.run(script, keys: keys.all, arguments: [now, keys.field] + arguments)
    }
}
