import Apps
import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel

/// What a request asks for, in whatever dialect, before it is a task.
struct TaskDraft: Sendable, Equatable {
    var dialect = TaskDialect.native
    var audience: Audience?
    /// Everybody on the list, however long it is.
    var entries: [TargetEntry] = []
    var content = TaskContent()
    var options = TaskOptions()
    var reported = JSONObject()

    /// The list is left to whoever sends the task on.
    func task(_ id: TaskID, of admission: AuthorizedCaller, created: Timestamp) -> PushTask {
        var task = PushTask(id: id, app: admission.app.id, created: created)
        task.credential = admission.credential
        task.dialect = dialect
        task.target.audience = audience
        task.content = content
        task.options = options
        task.unprovided = Set(
            TaskRendering.kinds.filter { kind in
                content.targetedPlatforms.contains(Platform(kind)) && !admission.app.providers.has(kind)
            })
        task.reported = reported
        return task
    }
}

extension TaskDraft {
    /// What the caller needs for it.
    var scope: Scope { Scope(toReach: audience) }
}

extension Scope {
    /// Whoever can ring devices that are subscribed to none of the topics it names can ring all of them.
    init(toReach audience: Audience?) {
        guard let audience, audience.necessaryTopics == nil else {
            self = .publish
            return
        }
        self = .broadcast
    }
}
