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
    let schedule: TaskSchedule
    let replacements: any TaskReplacements
    let index: any RetryIndex
    let producer: any BusProducer
    /// While the store is rebuilt, a task may be in the index that was released before.
    let isRegistryReady: @Sendable () async throws -> Bool
    /// True if `schedules` keeps a record until its tombstone, and `lists` is the only durable copy of a list.
    let hasLog: Bool
    let log: Log

    /// A task with an entry that is due.
    private struct DueTask: Sendable {
        let entry: RetryEntry
        /// Nil if the archive has no such task: it was withdrawn, or it was released before, closed and forgotten.
        let task: PushTask?
        let id: TaskID
        let content: [UInt8]
        /// Parts of its list, each with a record of its own.
        let partCount: Int

        /// A withdrawn task may still have the entry that waits for its time.
        var entries: [RetryEntry] { [entry] + (task.map { [RetryEntry(waiting: $0)] } ?? []) }

        init(_ entry: RetryEntry, id: TaskID, task: PushTask? = nil, content: [UInt8] = [], partCount: Int = 0) {
            self.entry = entry
            self.id = id
            self.task = task
            self.content = content
            self.partCount = partCount
        }
    }

    func perform(_ lease: RetryLease, shard: RetryShard) async throws -> Int {
        guard try await isRegistryReady() else {
            throw StoreError(.notReady, message: "the registry is not ready; scheduled tasks wait")
        }
        let due = try await lease.entries.concurrentMap(atOnce: TaskRelease.readAtOnce, read).compactMap { $0 }
        let tasks = due.filter { $0.task != nil }
        if hasLog { for task in tasks { try await sendParts(of: task) } }
        if !tasks.isEmpty {
            try await producer.send(
                tasks.map { OutgoingMessage(channel: Topics.tasks.channel, key: Topics.key($0.id), value: $0.content) })
        }
        try await leaveSchedule(due)
        try await index.complete(due.flatMap(\.entries), in: shard)
        return tasks.count
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
            let released = isWithdrawn ? task.withdrawn : task
            return DueTask(
                entry, id: id, task: released,
                content: isWithdrawn ? TaskMessage.task(released).encoded() : content,
                partCount: task.target.list.messageCount)
        } catch {
            guard error.code == .corrupt else { throw error }
            log.error("scheduled task not read; it stays in the index", [.task: "\(id)", .error: "\(error)"])
            return nil
        }
    }

    /// A list of which a part is missing is released without it: its job waits for it, and says that it is lost.
    private func sendParts(of due: DueTask) async throws {
        guard let task = due.task else { return }
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

    private func leaveSchedule(_ due: [DueTask]) async throws {
        try await schedule.leave(due.compactMap(\.task))
        guard hasLog else { return }
        let keys = due.flatMap { due in
            [Topics.key(due.id)] + (0..<due.partCount).map { Topics.key(due.id, part: $0) }
        }
        for keys in keys.chunks(of: TaskRelease.partsAtOnce) {
            try await producer.send(
                keys.map { OutgoingMessage(channel: Topics.schedules.channel, key: $0, value: []) })
        }
    }
}
