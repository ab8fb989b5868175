package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The agenda in Redis: one sorted set of task ids by due time. A few thousand tasks are open at a time, so one slot is
/// enough.
package struct RedisTaskAgenda: TaskAgenda {
    static let name = "agenda"
    private static let key = RedisArgument(name)

    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all reporters share.
    private let time: (any TimeSource)?
    private let changes = GroupedCalls<Change, Void>()

    private enum Change {
        /// The condition is `NX` or `XX`.
        case set(TaskID, due: Timestamp, condition: RedisArgument)
        case remove(TaskID)
    }

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func enter(_ task: TaskID, due: Timestamp) async throws(StoreError) {
        try await make(.set(task, due: due, condition: "NX"))
    }

    package func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID] {
        let now = time.map { RedisArgument($0.now.milliseconds) } ?? ""
        let answer = try await redis.run(
            RedisTaskAgenda.take, keys: [RedisTaskAgenda.key],
            arguments: [now, RedisArgument(count), RedisArgument(lease.wholeMilliseconds)])
        return (answer.array ?? []).compactMap { $0.bytes.flatMap { TaskID(bytes: $0) } }
    }

    package func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError) {
        try await make(.set(task, due: due, condition: "XX"))
    }

    package func finish(_ task: TaskID) async throws(StoreError) {
        try await make(.remove(task))
    }

    package func count() async throws(StoreError) -> Int {
        Int(try await redis.send(RedisCommand("ZCARD", RedisTaskAgenda.key)).integer ?? 0)
    }

    /// Works at the memory limit, so that tasks under way can complete.
    private func make(_ change: Change) async throws(StoreError) {
        try await changes.call(change) { changes in
            let call = ScriptCall(
                RedisTaskAgenda.change, keys: [RedisTaskAgenda.key],
                arguments: changes.flatMap(RedisTaskAgenda.arguments))
            let result = await redis.runEach([call])[0].map { _ in }
            return changes.map { _ in result }
        }
    }

    private static func arguments(of change: Change) -> [RedisArgument] {
        switch change {
        case .set(let task, let due, let condition):
            [condition, RedisArgument(due.milliseconds), RedisArgument(task.bytes)]
        case .remove(let task): ["", "", RedisArgument(task.bytes)]
        }
    }

    static let change = RedisScript(PackageResources.change_agenda_lua)

    static let take = RedisScript(PackageResources.take_due_lua, using: .clock)
}
