package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The traces in Redis: many short traces share a hash that expires as a whole, because a key with an expiry of its own
/// would take three times the memory of the trace.
package struct RedisTaskTraces: TaskTraces {
    /// A longer trace gets a key of its own, whose overhead is small in comparison.
    static let sharedBytesMaximum = 512

    private let redis: StoreConnection
    private let time: any TimeSource

    package init(_ redis: StoreConnection, time: any TimeSource) {
        self.redis = redis
        self.time = time
    }

    package func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) async throws(StoreError) {
        let bytes = trace.packed
        guard bytes.count <= RedisTaskTraces.sharedBytesMaximum else {
            let end = RedisArgument((trace.closed + retention).milliseconds)
            _ = try await redis.send(
                RedisCommand("SET", TaskTraceKeys.own(task), RedisArgument(bytes), "PXAT", end))
            return
        }
        // The time of closing is fixed, so that a trace that is kept again has the same key.
        let day = TaskTraceKeys.day(of: trace.closed)
        let end = Timestamp(milliseconds: (day + 1) * TaskTraceKeys.dayMilliseconds) + retention
        let bucket = TaskTraceKeys.bucket(of: task, day: day)
        // An interruption in between is repaired by the repetition of this call, or by the next trace of the bucket.
        _ = try await redis.send([
            RedisCommand("HSET", bucket, RedisArgument(task.bytes), RedisArgument(bytes)),
            RedisCommand("PEXPIREAT", bucket, RedisArgument(end.milliseconds)),
        ])
    }

    package func trace(of task: TaskID, created: Timestamp?) async throws(StoreError) -> TaskTrace? {
        let field = RedisArgument(task.bytes)
        let shared = days(since: created).map { RedisCommand("HGET", TaskTraceKeys.bucket(of: task, day: $0), field) }
        let answers = try await redis.send([RedisCommand("GET", TaskTraceKeys.own(task))] + shared)
        guard let bytes = answers.lazy.compactMap(\.bytes).first else { return nil }
        guard let trace = TaskTrace(packed: bytes) else {
            throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the trace of task \(task)")
        }
        return trace
    }

    /// One more day at either end, because the clocks of the processes that accept, close and read differ slightly.
    private func days(since created: Timestamp?) -> ClosedRange<Int64> {
        let today = TaskTraceKeys.day(of: time.now)
        let lifetime = TaskTraceBounds.retentionMaximum.wholeMilliseconds / TaskTraceKeys.dayMilliseconds + 1
        let oldest = max(created.map { TaskTraceKeys.day(of: $0) } ?? 0, today - lifetime) - 1
        return max(0, min(oldest, today))...today + 1
    }
}
