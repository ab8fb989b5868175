package import Store
package import TaskModel

extension TaskReplacements {
    /// True if another task of its key counts, although this one may not be cancelled yet. Without a pointer, which the
    /// store lost then, the task counts.
    package func haveReplaced(_ task: PushTask) async throws(StoreError) -> Bool {
        guard let key = task.replaces, let current = try await pointer(of: key)?.current else { return false }
        return current != task.id
    }
}
