import PushModel
import TaskModel

// Messages that workers handle in batches of several apps.

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

extension ReceiptBatch {
    package var tenant: String? { app.text }
}

extension ListenerEvent {
    package var tenant: String? { app.text }
}

extension ReportPost {
    package var tenant: String? { app.text }
}

extension TaskMessage {
    /// A part of a list has no app, and a task with such parts must stay behind them.
    package var tenant: String? {
        guard case .task(let task) = self, case .entries = task.target.list else { return nil }
        return task.app.text
    }
}
