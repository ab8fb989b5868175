import PushModel
import ServiceKit
import Store
import Synchronization
import TaskModel

/// Knows which tasks are messages whose states are told, and what is told of them.
final class TrackedMessages: Sendable {
    struct Found: Sendable {
        let message: TrackedMessage
        let record: OutboxRecord

        /// The content of a message may be long.
        fileprivate var bytes: Int { message.content.count + record.head.count }
    }

    private static let bytesMaximum = 16 << 20
    private static let taskBytes = 512

    private let archive: any TaskArchive
    private let outbox: any StateOutbox
    /// Nil for a task without states.
    private let known = Mutex(RecentlyUsed<TaskID, Found?>(costMaximum: TrackedMessages.bytesMaximum))

    init(archive: any TaskArchive, outbox: any StateOutbox) {
        self.archive = archive
        self.outbox = outbox
    }

    /// Nil also for a message of which nothing is kept any more.
    func message(_ task: TaskID, of app: AppID) async throws(StoreError) -> Found? {
        if let known = known.withLock({ $0.value(for: task) }) { return known }
        let found = try await find(task, of: app)
        known.withLock { $0.set(found, cost: TrackedMessages.taskBytes + (found?.bytes ?? 0), for: task) }
        return found
    }

    /// The archive forgets a task soon after its end; its head in the outbox outlives that, for receipts.
    private func find(_ task: TaskID, of app: AppID) async throws(StoreError) -> Found? {
        let subject = OutboxSubject(.message(task), of: app)
        if let content = try await archive.readableTask(task) {
            return TrackedMessage(content).map { message in
                let end = content.deadline + OutboxBounds.retention
                return Found(message: message, record: OutboxRecord(of: subject, head: message.encoded, end: end))
            }
        }
        guard let head = try await outbox.head(of: subject) else { return nil }
        return TrackedMessage(decoding: head).map { message in
            // The end of a message that is in the outbox does not change.
            let end = message.created + OutboxBounds.retention
            return Found(message: message, record: OutboxRecord(of: subject, head: head, end: end))
        }
    }
}
