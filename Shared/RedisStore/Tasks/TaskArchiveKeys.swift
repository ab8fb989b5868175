import PushModel
import RedisClient

/// Every key of the archive. Those of one task share its hash tag.
struct TaskArchiveKeys {
    let content: RedisArgument
    /// The numbers of the segments it visits, packed.
    let segments: RedisArgument
    let report: RedisArgument
    /// How far the report has got. Of a derived task it is what remains to say that the task is done.
    let stage: RedisArgument
    /// Why nobody sends it.
    let reason: RedisArgument
    private let tag: String

    init(_ task: TaskID) {
        tag = "{\(task.key)}"
        content = RedisArgument("content:\(tag)")
        segments = RedisArgument("visits:\(tag)")
        report = RedisArgument("report:\(tag)")
        stage = RedisArgument("stage:\(tag)")
        reason = RedisArgument("undone:\(tag)")
    }

    func part(_ number: Int) -> RedisArgument { RedisArgument("part:\(tag):\(number)") }

    /// Whom a job means.
    func devices(_ job: Int) -> RedisArgument { RedisArgument("meant:\(tag):\(job)") }

    /// All but the stage. Parts of lists go by themselves, and what jobs mean when they are resolved.
    var contents: [RedisArgument] { [content, segments, report, reason] }

    /// A sorted set: the ids of an app's tasks by the time they were accepted.
    static func list(_ app: AppID) -> RedisArgument { RedisArgument("recent:{\(app)}") }
}
