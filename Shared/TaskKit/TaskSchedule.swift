package import PushModel
package import ServiceKit
package import Store
package import TaskModel
package import Topics

/// Tasks that wait for their time, as the store has them: content and parts in the archive, times in the index. Every
/// step may be repeated.
package struct TaskSchedule: Sendable {
    private let archive: any TaskArchive
    private let index: any RetryIndex

    package init(archive: any TaskArchive, index: any RetryIndex) {
        self.archive = archive
        self.index = index
    }

    /// A withdrawn task replaces the one that waits, and is due at once. Returns the entry.
    package func enter(_ task: PushTask) async throws(StoreError) -> RetryEntry {
        let shard = RetryShard(scheduled: task.id)
        let entry = task.isWithdrawn ? RetryEntry(withdrawn: task) : RetryEntry(waiting: task)
        try await archive.schedule(TaskMessage.task(task).encoded(), of: task.id, entry: task.entry)
        try await index.add([entry], to: shard)
        if task.isWithdrawn { try await index.complete([RetryEntry(waiting: task)], in: shard) }
        return entry
    }

    package func enter(_ part: TaskPart, begins: Timestamp, at now: Timestamp) async throws(StoreError) {
        try await archive.keep(
            part, encoded: TaskMessage.part(part).encoded(), for: begins + TaskArchiveBounds.partRetention - now)
    }

    package func task(_ id: TaskID) async throws(StoreError) -> PushTask? {
        try await archive.task(id)
    }

    /// The task was released, as its tombstone says.
    package func remove(_ id: TaskID) async throws(StoreError) {
        guard let task = try await archive.task(id) else { return }
        try await index.complete(
            [RetryEntry(waiting: task), RetryEntry(withdrawn: task)], in: RetryShard(scheduled: id))
        try await archive.unschedule([id], of: task.app)
        try await archive.withdraw(id)
    }
}
