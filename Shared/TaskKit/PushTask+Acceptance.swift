package import Bus
import PushModel
package import ServiceKit
package import TaskModel
import Topics

extension PushTask {
    /// Tells the webhook of its app that the task is accepted. Nil for a task without a window. One that was cancelled
    /// before is told with its end.
    package func acceptance(trace: TraceContext?) -> OutgoingMessage? {
        guard window != nil, !isWithdrawn else { return nil }
        return Topics.statuses.message(
            .acceptance(MessageAcceptance(task: id, app: app)), key: Topics.key(id), trace: trace)
    }
}
