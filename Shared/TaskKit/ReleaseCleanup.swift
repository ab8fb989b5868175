package import Bus
import PushModel
import ServiceKit
package import Store
import TaskModel
import Topics

/// Removes released tasks from the places where they waited. Every step may be repeated.
package struct ReleaseCleanup: Sendable {
    private static let recordsAtOnce = 64

    private let schedule: TaskSchedule
    private let index: any RetryIndex
    private let producer: any BusProducer
    /// True if `schedules` keeps a record until its tombstone.
    private let hasLog: Bool

    package init(_ schedule: TaskSchedule, index: any RetryIndex, producer: any BusProducer, hasLog: Bool) {
        self.schedule = schedule
        self.index = index
        self.producer = producer
        self.hasLog = hasLog
    }

    /// The index comes last: after an error, its entries release the tasks again, which a resolver ignores.
    package func remove(_ released: [ReleasedTask]) async throws {
        try await schedule.leave(released.compactMap(\.task))
        if hasLog { try await removeRecords(of: released) }
        for tasks in released.groups(by: { RetryShard(scheduled: $0.id) }) {
            try await index.complete(tasks.flatMap(\.entries), in: RetryShard(scheduled: tasks[0].id))
        }
    }

    private func removeRecords(of released: [ReleasedTask]) async throws {
        let keys = released.flatMap { released in
            [Topics.key(released.id)]
                + (0..<(released.task?.target.list.messageCount ?? 0)).map { Topics.key(released.id, part: $0) }
        }
        for keys in keys.chunks(of: ReleaseCleanup.recordsAtOnce) {
            try await producer.send(
                keys.map { OutgoingMessage(channel: Topics.schedules.channel, key: $0, value: []) })
        }
    }
}
