import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Sends tasks whose time has come on `tasks`, as ingest does with a task that does not wait.
struct TaskRelease: EntryRelease {
    private static let readAtOnce = 16
    private static let partsAtOnce = 64

    static let entriesMaximum = 256
    let archive: any TaskArchive
    let replacements: any TaskReplacements
    let producer: any BusProducer
    let cleanup: ReleaseCleanup
    /// While the store is rebuilt, a task may be in the index that was released before.
    let isRegistryReady: @Sendable () async throws -> Bool
    /// True if `lists` is the only durable copy of a list.
    let hasLog: Bool
    let log: Log

    /// A task with an entry that is due.
    private struct DueTask: Sendable {
        let waiting: ReleasedTask
        /// What is sent; nil if the archive has no such task.
        let message: (task: PushTask, content: [UInt8])?

        init(_ entry: RetryEntry, id: TaskID, task: PushTask? = nil, message: (task: PushTask, content: [UInt8])? = nil)
        {
            // A withdrawn task may still have the entry that waits for its time.
            let entries = [entry] + (task.map { [RetryEntry(waiting: $0)] } ?? [])
            waiting = ReleasedTask(id, task: task, entries: entries)
            self.message = message
        }
    }

    func perform(_ lease: RetryLease, shard: RetryShard) async throws -> Int {
        guard try await isRegistryReady() else {
            throw StoreError(.notReady, message: "the registry is not ready; scheduled tasks wait")
        }
        let due = try await lease.entries.concurrentMap(atOnce: TaskRelease.readAtOnce, read).compactMap { $0 }
        let messages = due.compactMap(\.message)
        if hasLog { for (task, _) in messages { try await sendParts(of: task) } }
        if !messages.isEmpty {
            try await producer.send(
                messages.map { Topics.tasks.message(encoded: $0.content, key: Topics.key($0.task.id), trace: nil) })
        }
        try await cleanup.remove(due.map(\.waiting))
        return messages.count
    }

    /// Nil for an entry that cannot be read; it stays in the index, for a scheduler of another version.
    private func read(_ entry: RetryEntry) async throws -> DueTask? {
        guard let scheduled = ScheduledTask(decoding: entry.order) else {
            log.error("scheduled task not decoded; it stays in the index", [:])
            return nil
        }
        let id = scheduled.task
        do throws(StoreError) {
            guard let content = try await archive.content(of: id) else {
                log.warning("scheduled task is finished or withdrawn; not released", [.task: "\(id)"])
                return DueTask(entry, id: id)
            }
            let task = try PushTask(archived: content, of: id)
            let isWithdrawn =
                if scheduled.isWithdrawn { true } else { try await replacements.haveReplaced(task) }
            let sent = isWithdrawn ? task.withdrawn : task
            return DueTask(
                entry, id: id, task: task,
                message: (sent, isWithdrawn ? TaskMessage.task(sent).encoded() : content))
        } catch {
            guard error.code == .corrupt else { throw error }
            log.error("scheduled task not read; it stays in the index", [.task: "\(id)", .error: "\(error)"])
            return nil
        }
    }

    /// A list of which a part is missing is released without it: its job waits for it, and says that it is lost.
    private func sendParts(of task: PushTask) async throws {
        let topic = Topics.parts(of: task.target.list)
        for numbers in (0..<task.target.list.messageCount).chunks(of: TaskRelease.partsAtOnce) {
            let parts = try await Array(numbers).concurrentMap(atOnce: TaskRelease.readAtOnce) {
                try await archive.part($0, of: task.id)
            }
            let messages = parts.compactMap { $0 }.map {
                OutgoingMessage(channel: topic.channel, key: Topics.key(task.id), value: $0)
            }
            if !messages.isEmpty { try await producer.send(messages) }
        }
    }
}
