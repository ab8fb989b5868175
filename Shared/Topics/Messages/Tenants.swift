import PushModel
import TaskModel

// What workers take in batches of several apps.

extension AudienceChunk {
    package var tenant: String? { app.text }
}

extension DispatchChunk {
    package var tenant: String? { app.text }
}

extension RetryOrder {
    package var tenant: String? { segment.app.text }
}

extension ResultBatch {
    package var tenant: String? { app.text }
}

extension ReportPost {
    package var tenant: String? { app.text }
}

extension TaskMessage {
    /// A part of a list does not say whose it is, and a task with such parts stays behind them.
    package var tenant: String? {
        guard case .task(let task) = self, case .entries = task.target.list else { return nil }
        return task.app.text
    }
}
