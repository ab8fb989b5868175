import PushModel
import RedisClient

/// All keys of the archive. Those of one task share its hash tag.
struct TaskArchiveKeys {
    let content: RedisArgument
    /// The numbers of the task's segments, packed.
    let segments: RedisArgument
    let report: RedisArgument
    /// The stage of the report. For a derived task, this key alone remains to show that it was reported.
    let stage: RedisArgument
    /// A hash: the parts with contents by their numbers.
    let parts: RedisArgument
    /// The reason why the task is not sent.
    let reason: RedisArgument
    private let tag: String

    init(_ task: TaskID) {
        tag = "{\(task.key)}"
        content = TaskArchiveKeys.content(task)
        segments = RedisArgument("visits:\(tag)")
        report = RedisArgument("report:\(tag)")
        stage = RedisArgument("stage:\(tag)")
        parts = RedisArgument("parts:\(tag)")
        reason = RedisArgument("undone:\(tag)")
    }

    static func content(_ task: TaskID) -> RedisArgument { RedisArgument("content:{\(task.key)}") }

    func part(_ number: Int) -> RedisArgument { RedisArgument("part:\(tag):\(number)") }

    /// The devices of a job.
    func devices(_ job: Int) -> RedisArgument { RedisArgument("meant:\(tag):\(job)") }

    /// All keys except the stage. Parts of lists expire on their own; the devices of a job are removed when it is resolved.
    var contents: [RedisArgument] { [content, segments, report, reason] }

    /// A sorted set: the ids of an app's tasks by the time their life began.
    static func list(_ app: AppID) -> RedisArgument { RedisArgument("recent:{\(app)}") }

    /// The same for tasks that are to be sent later.
    static func scheduled(_ app: AppID) -> RedisArgument { RedisArgument("\(scheduledFamily):{\(app)}") }

    static let scheduledFamily = "scheduled"
}
