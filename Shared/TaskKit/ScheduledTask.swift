package import PushModel
import ServiceKit
package import Store
package import TaskModel

/// A task that waits for its time in the index.
package struct ScheduledTask: Hashable, Sendable {
    /// Not formats of retry orders, so that an entry in a wrong shard is not misread.
    private static let formats: (waiting: UInt8, withdrawn: UInt8) = (0xB0, 0xB1)

    package let task: TaskID
    /// True if it was cancelled, and is released in order to be reported.
    package let isWithdrawn: Bool

    package init(_ task: TaskID, isWithdrawn: Bool) {
        self.task = task
        self.isWithdrawn = isWithdrawn
    }

    package var encoded: [UInt8] {
        [isWithdrawn ? ScheduledTask.formats.withdrawn : ScheduledTask.formats.waiting] + task.bytes
    }

    /// Nil for another format.
    package init?(decoding bytes: [UInt8]) {
        guard let task = TaskID(bytes: Array(bytes.dropFirst())) else { return nil }
        switch bytes.first {
        case ScheduledTask.formats.waiting: self.init(task, isWithdrawn: false)
        case ScheduledTask.formats.withdrawn: self.init(task, isWithdrawn: true)
        default: return nil
        }
    }
}

extension RetryEntry {
    /// The entry of a task that waits. Repeated, it is the same entry.
    package init(waiting task: PushTask) {
        self.init(due: task.begins, order: ScheduledTask(task.id, isWithdrawn: false).encoded)
    }

    /// The entry that replaces it when the task is withdrawn; due at once.
    package init(withdrawn task: PushTask) {
        self.init(due: task.created, order: ScheduledTask(task.id, isWithdrawn: true).encoded)
    }
}
