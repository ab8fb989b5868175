package import PushModel
package import Store
package import TaskModel
import Topics

extension PushTask {
    /// Decodes the archived form: the bytes that were produced to `tasks`.
    package init(archived bytes: [UInt8], of id: TaskID) throws(StoreError) {
        let reason: String
        do {
            if case .task(let task) = try TaskMessage(decoding: bytes), task.id == id {
                self = task
                return
            }
            reason = "it belongs to another message"
        } catch {
            reason = "\(error)"
        }
        throw StoreError(.corrupt, message: "the content of task \(id) in the archive cannot be decoded: \(reason)")
    }
}

extension PushTask {
    /// The task in the list of its app's tasks.
    package var entry: TaskEntry { TaskEntry(app: app.owner, begins: begins, deadline: deadline) }
}

extension TaskArchive {
    /// Nil when it has no such task.
    package func task(_ id: TaskID) async throws(StoreError) -> PushTask? {
        guard let content = try await content(of: id) else { return nil }
        return try PushTask(archived: content, of: id)
    }
}
