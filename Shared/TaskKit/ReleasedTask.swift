package import PushModel
package import Store
package import TaskModel

/// A task that has been released, and its entries in the index.
package struct ReleasedTask: Sendable {
    package let id: TaskID
    /// Nil if the archive has no such task: it was withdrawn, or it was released before, closed and forgotten.
    package let task: PushTask?
    package let entries: [RetryEntry]

    package init(_ id: TaskID, task: PushTask?, entries: [RetryEntry]) {
        self.id = id
        self.task = task
        self.entries = entries
    }
}
