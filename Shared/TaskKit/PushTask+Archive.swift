package import PushModel
package import Store
package import TaskModel
import Topics

extension PushTask {
    /// As the archive keeps it: the bytes in which it went onto `tasks`.
    package init(archived bytes: [UInt8], of id: TaskID) throws(StoreError) {
        let reason: String
        do {
            if case .task(let task) = try TaskMessage(decoding: bytes), task.id == id {
                self = task
                return
            }
            reason = "it is another one"
        } catch {
            reason = "\(error)"
        }
        throw StoreError(.corrupt, message: "the content of task \(id) cannot be read in the archive: \(reason)")
    }
}

extension TaskArchive {
    /// Nil when it has no such task.
    package func task(_ id: TaskID) async throws(StoreError) -> PushTask? {
        guard let content = try await content(of: id) else { return nil }
        return try PushTask(archived: content, of: id)
    }
}
