import PushModel
import RedisClient
import ServiceKit

/// All keys of the traces.
enum TaskTraceKeys {
    static let dayMilliseconds: Int64 = 86_400_000
    /// Per day. At 100 tasks a second each hash has about 530 fields, about half of the maximum for a listpack.
    static let bucketCount: UInt64 = 16_384

    /// A hash: task (16 bytes) to packed trace, of tasks that were closed on the day.
    static func bucket(of task: TaskID, day: Int64) -> RedisArgument {
        RedisArgument("trace:{\(day):\(task.low % bucketCount)}")
    }

    /// A string: a packed trace that is too long for a bucket.
    static func own(_ task: TaskID) -> RedisArgument { RedisArgument("trace:{\(task.key)}") }

    static func day(of moment: Timestamp) -> Int64 { max(0, moment.milliseconds) / dayMilliseconds }
}
