package import PushModel
package import ServiceKit
package import Store
package import TaskModel
package import Topics

/// Tasks that wait for their time, as the store has them: content and parts in the archive, times in the index, and for
/// each user those that a good moment releases. Every step may be repeated.
package struct TaskSchedule: Sendable {
    private static let usersAtOnce = 64

    private let archive: any TaskArchive
    private let index: any RetryIndex
    private let moments: any UserMoments
    /// Nil for a service that enters no tasks.
    private let hours: LearntHours?

    package init(
        archive: any TaskArchive, index: any RetryIndex, moments: any UserMoments, hours: LearntHours? = nil
    ) {
        self.archive = archive
        self.index = index
        self.moments = moments
        self.hours = hours
    }

    /// A withdrawn task replaces the one that waits, and is due at once. A task with another time than it has in the
    /// archive gets the earlier of both. Returns the entry.
    package func enter(_ task: PushTask, at now: Timestamp) async throws(StoreError) -> RetryEntry {
        let shard = RetryShard(scheduled: task.id)
        let entry = task.isWithdrawn ? RetryEntry(withdrawn: task) : RetryEntry(waiting: task)
        try await archive.schedule(TaskMessage.task(task).encoded(), of: task.id, entry: task.entry)
        if let window = task.window, window.awaitsMoment, !task.isWithdrawn {
            return try await enter(task, window: window, at: now)
        }
        try await index.add([entry], to: shard)
        if task.isWithdrawn { try await index.complete([RetryEntry(waiting: task)], in: shard) }
        return entry
    }

    /// The earliest of its times counts, or a good moment that the user may have already, or the user's learnt hour.
    private func enter(
        _ task: PushTask, window: DeliveryWindow, at now: Timestamp
    ) async throws(StoreError) -> RetryEntry {
        let shard = RetryShard(scheduled: task.id)
        let release = try await releaseNow(task, window: window, at: now)
        let learnt = release == nil ? try await hours?.release(of: task, window: window, at: now) : nil
        let kept = try await archive.task(task.id) ?? task
        var next = kept
        next.sendAt = [kept.begins, task.begins, release, learnt].compactMap { $0 }.min()
        if next.sendAt != kept.sendAt {
            try await archive.reschedule(TaskMessage.task(next).encoded(), of: next.id, entry: next.entry)
            if next.sendAt == learnt { hours?.noteChosen() }
        }
        let entry = RetryEntry(waiting: next)
        try await index.add([entry], to: shard)
        let later = Set([kept.begins, task.begins, window.latestRelease]).subtracting([next.begins])
        if !later.isEmpty {
            try await index.complete(later.map { RetryEntry(due: $0, order: entry.order) }, in: shard)
        }
        return entry
    }

    /// Enters the task under its user. Nil without a moment, and for a task that was brought forward by one.
    private func releaseNow(
        _ task: PushTask, window: DeliveryWindow, at now: Timestamp
    ) async throws(StoreError) -> Timestamp? {
        guard task.begins >= window.latestRelease else { return nil }
        let moment = try await moments.enter(task.id, until: window.ends, of: UserKey(window.user, of: task.app))
        return moment.flatMap { window.release(inMomentFrom: now, until: $0) }
    }

    /// The tasks are released, and no moment releases them again.
    package func leave(_ tasks: [PushTask]) async throws {
        for tasks in tasks.groups(by: \.app.owner) {
            try await archive.unschedule(tasks.map(\.id), of: tasks[0].app.owner)
        }
        let awaiting = tasks.filter { $0.window?.awaitsMoment == true }
        _ = try await awaiting.concurrentMap(atOnce: TaskSchedule.usersAtOnce) { task in
            guard let window = task.window else { return }
            try await moments.leave([task.id], of: UserKey(window.user, of: task.app))
        }
    }

    package func enter(_ part: TaskPart, begins: Timestamp, at now: Timestamp) async throws(StoreError) {
        try await archive.keep(
            part, encoded: TaskMessage.part(part).encoded(), for: begins + TaskArchiveBounds.partRetention - now)
    }

    package func task(_ id: TaskID) async throws(StoreError) -> PushTask? {
        try await archive.task(id)
    }

    /// The task was released, as its tombstone says.
    package func remove(_ id: TaskID) async throws {
        guard let task = try await archive.task(id) else { return }
        try await index.complete(
            [RetryEntry(waiting: task), RetryEntry(withdrawn: task)], in: RetryShard(scheduled: id))
        try await leave([task])
        try await archive.withdraw(id)
    }
}
