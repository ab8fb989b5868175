import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Enters tasks that are to be sent later in the archive and the index, and the parts of their lists in the archive.
/// Their records are acknowledged once they are durable there.
struct ScheduleIntake: MessageHandler {
    private static let recordsAtOnce = 16

    let archive: any TaskArchive
    let schedule: TaskSchedule
    let wakeups: [RetryShard: EntryWakeup]

    func handle(
        _ messages: [ReceivedMessage<ScheduleRecord>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        // Records of one task keep their order: it may be withdrawn by a later one.
        let records = messages.map(\.message).groups { $0.task }
        _ = try await records.concurrentMap(atOnce: ScheduleIntake.recordsAtOnce) { records in
            for record in records { try await take(record, context: context) }
        }
        return messages.compactMap { message in
            guard case .task(let task) = message.message else { return nil }
            return task.acceptance(trace: message.trace)
        }
    }

    func giveUp(_ letter: DeadLetter) async throws {
        try await archive.giveUp(taskOf: letter)
    }

    private func take(_ record: ScheduleRecord, context: HandlerContext) async throws {
        switch record {
        case .part(let part, let begins): try await schedule.enter(part, begins: begins, at: context.time.now)
        case .task(let task):
            guard try await isAwaited(task, context: context) else { return }
            let entry = try await schedule.enter(task, at: context.time.now)
            wakeups[RetryShard(scheduled: task.id)]?.wake(for: entry.due)
        case .released: break
        }
    }

    /// False for a redelivered record of a task that was released, closed and forgotten. Content is kept from the
    /// acceptance of a task until it is closed; its absence before that time means that the store lost the last writes.
    private func isAwaited(_ task: PushTask, context: HandlerContext) async throws -> Bool {
        guard !task.isWithdrawn, try await isForgotten(task, at: context.time.now) else { return true }
        context.log.warning("finished task redelivered; ignored", [.task: "\(task.id)"])
        return false
    }

    private func isForgotten(_ task: PushTask, at now: Timestamp) async throws(StoreError) -> Bool {
        let isOver = now >= task.begins + TaskArchiveBounds.forgettingAge
        // A moment releases a task before its time.
        guard isOver || task.window?.awaitsMoment == true, try await archive.content(of: task.id) == nil else {
            return false
        }
        if isOver { return true }
        return try await archive.isReported(task.id)
    }
}

extension ScheduleRecord {
    /// Nil for a tombstone.
    fileprivate var task: TaskID? {
        switch self {
        case .task(let task): task.id
        case .part(let part, _): part.task
        case .released: nil
        }
    }
}
