import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel

/// Refuses what no provider would take, before it is accepted: the task is rendered in each of its languages, as it will
/// be for its devices.
struct PayloadCheck: Sendable {
    let time: any TimeSource

    /// Any id will do, as all have the same length.
    func check(_ draft: TaskDraft, of admission: Admission, _ problems: JSONProblems) {
        let now = time.now
        let task = draft.task(TaskID(high: 0, low: 0), of: admission, created: now)
        for flaw in TaskRendering(task, now: now).checkLimits() { problems.add(flaw.path, flaw.message) }
    }
}
