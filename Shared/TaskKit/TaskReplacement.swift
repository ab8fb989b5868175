package import Bus
package import PushModel
package import ServiceKit
package import Store
package import TaskModel
import Topics

/// Makes a task the one that counts for its key. The pointer of the key decides; each other step follows from it and
/// may be repeated, by the request itself, by a repeat of it, or by the sweep of a scheduler:
///
/// 1. The swap is entered for the sweep, and the content is staged: durable, and invisible.
/// 2. The pointer is set to the task, if it was not changed since it was read. It now names the replaced task as one to
///    be cancelled.
/// 3. Replaced tasks are cancelled in the ledger.
/// 4. The content is archived, the task is sent, and then the staged content is removed.
/// 5. A replaced task that waits for its time is released without its audience, so that it is reported.
/// 6. The pointer forgets the cancelled tasks, and the sweep the swap.
package struct TaskReplacement: Sendable {
    /// The stores that take part in a swap.
    package struct Stores: Sendable {
        package let replacements: any TaskReplacements
        package let archive: any TaskArchive
        package let ledger: any Ledger

        package init(replacements: any TaskReplacements, archive: any TaskArchive, ledger: any Ledger) {
            self.replacements = replacements
            self.archive = archive
            self.ledger = ledger
        }
    }

    /// When the sweep looks after a swap that is not finished.
    package static let sweepPause = Duration.seconds(30)
    /// How long staged content of a task that never counted is kept after the sweep: a repeat of its request may be
    /// about to use it.
    private static let unusedRetention = Duration.seconds(3_600)
    /// Each attempt fails because another task took the key.
    private static let attemptsMaximum = 16

    private let stores: Stores
    private let producer: any BusProducer
    private let cancellation: TaskCancellation
    private let time: any TimeSource
    private let log: Log

    package init(
        _ stores: Stores, producer: any BusProducer, cancellation: TaskCancellation, environment: WorkerEnvironment
    ) {
        self.stores = stores
        self.producer = producer
        self.cancellation = cancellation
        time = environment.time
        log = environment.log
    }

    /// Accepts a task, the parts of whose list are durable. After an error it may count or not; the sweep finishes it
    /// or drops it. A repeat of a task that another one has replaced since has no effect.
    package func accept(_ task: PushTask, content: [UInt8], key: ReplacementKey, trace: TraceContext?) async throws {
        let swap = TaskSwap(task.id, key: key)
        guard let pointer = try await begin(swap, task: task, content: content) else {
            log.info("request repeated after its task was replaced", [.task: "\(task.id)", .app: task.app.text])
            return
        }
        try await finish(swap, pointer: pointer, trace: trace)
    }

    /// Sends a task that counts, if its request was cut off before that. A repeat of the request is answered only then.
    package func complete(_ task: TaskID, key: ReplacementKey) async throws {
        guard try await stores.replacements.staged(task) != nil else { return }
        let pointer = try await pointer(of: key)
        guard pointer.current == task else { return }
        try await finish(TaskSwap(task, key: key), pointer: pointer, trace: nil)
    }

    /// Finishes a swap that was cut off, or drops a task that never counted.
    package func resume(_ lease: SwapLease) async throws {
        let swap = lease.swap
        for _ in 0..<TaskReplacement.attemptsMaximum {
            let pointer = try await pointer(of: swap.key)
            if pointer.current == swap.task { return try await finish(swap, pointer: pointer, trace: nil) }
            if try await isReplaced(swap.task, by: pointer) {
                try await conclude(swap.task)
                return try await stores.replacements.finish(lease)
            }
            // The request may still be between reading the pointer and setting it. It fails then, and enters the swap
            // again before it tries again.
            guard try await stores.replacements.set(pointer.fenced(at: time.now), of: swap.key) else { continue }
            try await stores.replacements.unstage(swap.task, after: TaskReplacement.unusedRetention)
            return try await stores.replacements.finish(lease)
        }
        throw contention(swap.key)
    }

    /// The pointer to the task; nil if another task has replaced this one.
    private func begin(_ swap: TaskSwap, task: PushTask, content: [UInt8]) async throws -> ReplacementPointer? {
        let end = task.deadline + TaskArchiveBounds.retention
        for attempt in 0..<TaskReplacement.attemptsMaximum {
            // Read before anything else: what follows is certain only if the pointer has not changed when it is set.
            let pointer = try await pointer(of: swap.key)
            if pointer.current == swap.task { return pointer }
            let mayBeRepeated = task.id.isDerived || attempt > 0
            if mayBeRepeated, try await isReplaced(task.id, by: pointer) { return nil }
            if pointer.isFull {
                try await cancel(pointer.cancelling, of: swap.key.app, successor: pointer.current)
                try await withdraw(pointer.cancelling)
                _ = try await forget(pointer.cancelling, of: swap.key)
                continue
            }
            try await stores.replacements.enter(swap, due: time.now + TaskReplacement.sweepPause)
            try await stores.replacements.stage(content, of: task.id, for: max(end - time.now, .zero))
            let next = pointer.replaced(by: task.id, until: end)
            if try await stores.replacements.set(next, of: swap.key) { return next }
        }
        throw contention(swap.key)
    }

    /// A replaced task is cancelled, unless it was closed before, and named by the pointer until then.
    private func isReplaced(_ task: TaskID, by pointer: ReplacementPointer) async throws(StoreError) -> Bool {
        if pointer.cancelling.contains(task) { return true }
        if try await stores.ledger.isCancelled(task) { return true }
        return try await isDone(task)
    }

    private func isDone(_ task: TaskID) async throws(StoreError) -> Bool {
        if try await stores.archive.isReported(task) { return true }
        return try await stores.ledger.progress(of: task)?.closed != nil
    }

    /// The task counts, as this pointer says. If another one replaces it meanwhile, that one, or the sweep for it,
    /// cancels it.
    private func finish(_ swap: TaskSwap, pointer: ReplacementPointer, trace: TraceContext?) async throws {
        try await cancel(pointer.cancelling, of: swap.key.app, successor: swap.task)
        try await commit(swap.task, trace: trace)
        try await withdraw(pointer.cancelling)
        let last = try await forget(pointer.cancelling, of: swap.key)
        // Its successor may have withdrawn it before it was sent.
        if last.current != swap.task, try await isReplaced(swap.task, by: last) { try await conclude(swap.task) }
        try await stores.replacements.remove(swap)
    }

    private func pointer(of key: ReplacementKey) async throws(StoreError) -> ReplacementPointer {
        try await stores.replacements.pointer(of: key) ?? ReplacementPointer()
    }

    private func contention(_ key: ReplacementKey) -> StoreError {
        StoreError(.unavailable, message: "too many tasks replace each other under the key \(key)")
    }
}

// The steps that may be repeated.
extension TaskReplacement {
    private func cancel(_ tasks: [TaskID], of app: AppID, successor: TaskID?) async throws {
        for task in tasks {
            if try await isDone(task) { continue }
            if let successor { try await stores.replacements.note(task, replacedBy: successor) }
            try await cancellation.cancelDevices(of: task, app: app)
        }
    }

    /// Sends the task. Its content leaves the archive only when it is closed, so a task without content is done.
    private func commit(_ id: TaskID, trace: TraceContext?) async throws {
        if let task = try await archived(id) {
            let key = Topics.key(id)
            try await producer.send([
                task.sendAt == nil
                    ? Topics.tasks.message(.task(task), key: key, trace: trace)
                    : Topics.schedules.message(.task(task), key: key, trace: trace)
            ])
        }
        try await stores.replacements.unstage(id, after: .zero)
    }

    /// A replaced task that was not planned is reported without devices.
    private func conclude(_ id: TaskID) async throws {
        if let task = try await archived(id), try await stores.ledger.progress(of: id) == nil {
            try await sendWithdrawn(task)
        }
        try await stores.replacements.unstage(id, after: .zero)
    }

    /// The same for tasks that wait for their time. One that is not in the archive has a swap that is not finished,
    /// which concludes it.
    private func withdraw(_ ids: [TaskID]) async throws {
        for id in ids {
            guard let task = try await stores.archive.task(id), task.sendAt != nil,
                try await stores.ledger.progress(of: id) == nil, try await !isDone(id)
            else { continue }
            try await sendWithdrawn(task)
        }
    }

    private func sendWithdrawn(_ task: PushTask) async throws {
        let key = Topics.key(task.id)
        try await producer.send([
            task.sendAt == nil
                ? Topics.tasks.message(.task(task.withdrawn), key: key)
                : Topics.schedules.message(.task(task.withdrawn), key: key)
        ])
    }

    /// Copies staged content to the archive, where the task is visible. If the task is done, it was sent before.
    private func archived(_ id: TaskID) async throws(StoreError) -> PushTask? {
        if let content = try await stores.replacements.staged(id), try await !isDone(id) {
            let task = try PushTask(archived: content, of: id)
            if task.sendAt == nil {
                try await stores.archive.keep(content, of: id, entry: task.entry)
            } else {
                try await stores.archive.schedule(content, of: id, entry: task.entry)
            }
        }
        return try await stores.archive.task(id)
    }

    /// The cancels of these tasks are finished. Returns the pointer.
    private func forget(
        _ cancelled: [TaskID], of key: ReplacementKey
    ) async throws(StoreError) -> ReplacementPointer {
        for _ in 0..<TaskReplacement.attemptsMaximum {
            let pointer = try await pointer(of: key)
            let next = pointer.cancelled(cancelled)
            if next == pointer { return pointer }
            if try await stores.replacements.set(next, of: key) { return next }
        }
        throw contention(key)
    }
}
