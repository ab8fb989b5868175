import PushModel
import Store
import TaskKit
import TaskModel

/// Finds the message that counts for a key of a publisher.
struct ContextPushBook: Sendable {
    let replacements: any TaskReplacements
    let archive: any TaskArchive
    let tasks: TaskBook

    /// The last accepted task with the key, in any state.
    func current(_ key: ReplacementKey) async throws(StoreError) -> TaskID? {
        try await replacements.pointer(of: key)?.current
    }

    /// The task with its content, also before its request is completed. Nil some time after it is closed.
    func task(_ id: TaskID) async throws(StoreError) -> PushTask? {
        // Staged content moves to the archive, so it is in one of them in this order.
        if let content = try await replacements.staged(id) { return try PushTask(archived: content, of: id) }
        return try await archive.task(id)
    }

    /// True while the request of the task is not completed: it counts, but cannot be cancelled yet.
    func isStaged(_ id: TaskID) async throws(StoreError) -> Bool {
        try await replacements.staged(id) != nil
    }

    /// Nil if the task is forgotten.
    func known(_ id: TaskID, in app: AppID) async throws -> KnownTask? {
        do {
            return try await tasks.task(id, of: app)
        } catch TaskError.unknownTask {
            return nil
        }
    }
}
