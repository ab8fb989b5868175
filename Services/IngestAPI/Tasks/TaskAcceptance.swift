import Bus
import HTTPServer
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Makes tasks durable: once accepted, a task completes even if any process crashes.
struct TaskAcceptance: Sendable {
    /// A task in the form in which it is stored and sent.
    struct PreparedTask: Sendable {
        let task: PushTask
        /// The parts of its list; at most one if the task contains the list.
        let parts: [ArraySlice<TargetEntry>]
        let content: [UInt8]
    }

    /// Maximum number of list parts in flight.
    private static let partsAtOnce = 64
    private static let writesAtOnce = 16

    private let archive: any TaskArchive
    private let ledger: any Ledger
    private let producer: any BusProducer
    private let replacement: TaskReplacement
    private let time: any TimeSource
    private let log: Log
    private let accepted: [TaskDialect: Counter]

    init(_ access: TaskAccess, cancellation: TaskCancellation, environment: WorkerEnvironment) {
        archive = access.archive
        ledger = access.ledger
        producer = access.producer
        replacement = TaskReplacement(
            TaskReplacement.Stores(
                replacements: access.replacements, archive: access.archive, ledger: access.ledger),
            producer: access.producer, cancellation: cancellation, environment: environment)
        time = environment.time
        log = environment.log
        accepted = Dictionary(
            uniqueKeysWithValues: TaskDialect.allCases.map {
                ($0, environment.metrics.counter(.ingestTasksAccepted, labels: ["dialect": $0.rawValue]))
            })
    }

    func prepare(
        _ draft: TaskDraft, id: TaskID, created: Timestamp, of caller: AuthorizedCaller
    ) throws(TaskError) -> PreparedTask {
        try draft.timing.check(acceptedAt: created)
        let listless = draft.task(id, of: caller, created: created)
        var task = listless
        let parts = ListParts.cut(draft.entries)
        task.target.list =
            parts.count > 1
            ? .parts(count: parts.count, entries: draft.entries.count) : .entries(draft.entries)
        let content = TaskMessage.task(task).encoded()
        // Encoded again without the list only if the whole is too large.
        guard
            content.count <= TaskLimits.taskBytesMaximum
                || TaskMessage.task(listless).encoded().count <= TaskLimits.taskBytesMaximum
        else {
            throw .tooLarge("the task without its list", TaskLimits.taskBytesMaximum)
        }
        return PreparedTask(task: task, parts: parts, content: content)
    }

    /// A task whose list is sent by its owner, before the task is accepted.
    func prepare(_ task: PushTask) throws(TaskError) -> PreparedTask {
        let content = TaskMessage.task(task).encoded()
        guard content.count <= TaskLimits.taskBytesMaximum else {
            throw .tooLarge("the task without its list", TaskLimits.taskBytesMaximum)
        }
        return PreparedTask(task: task, parts: [], content: content)
    }

    /// Sends parts of the list of a task that is to be sent immediately. They have no effect until it is accepted.
    func send(_ parts: [TaskPart], on topic: Topic<TaskMessage>, trace: TraceContext?) async throws {
        for some in parts.chunks(of: TaskAcceptance.partsAtOnce) {
            try await producer.send(
                some.map { topic.message(.part($0), key: Topics.key($0.task), trace: trace) })
        }
    }

    /// Accepts the tasks of one request. The content of each task is archived before any is sent, and the tasks are
    /// sent after all parts of their lists, which have no effect without them. An interruption before the last step has
    /// no effect; one of the last step may leave some of the tasks on the bus. A repeat of the request makes the same
    /// tasks under the same ids, sends those that are missing, and later stages drop the others. A task with a key has
    /// steps of its own; once it counts, it is sent whatever happens to the request.
    func accept(_ tasks: [PreparedTask], trace: TraceContext?) async throws {
        let open = try await notDone(tasks)
        try await acceptPlain(open.filter { $0.task.replaces == nil }, trace: trace)
        for prepared in open {
            guard let key = prepared.task.replaces else { continue }
            if prepared.parts.count > 1 { try await send(prepared.parts, of: prepared.task, trace: trace) }
            try await replacement.accept(prepared.task, content: prepared.content, key: key, trace: trace)
        }
        for prepared in open { accepted[prepared.task.dialect]?.increment() }
    }

    /// Accepts the tasks of several requests. Those of requests without a replacement key are accepted together, and an
    /// error refuses them all. The others follow in their order; an error refuses the request of its task.
    func acceptEach(
        _ requests: [[PreparedTask]], trace: TraceContext?
    ) async throws -> [Result<Void, any Error>] {
        let arePlain = requests.map { tasks in tasks.allSatisfy { $0.task.replaces == nil } }
        try await accept(zip(requests, arePlain).flatMap { $1 ? $0 : [] }, trace: trace)
        var results: [Result<Void, any Error>] = []
        for (tasks, isPlain) in zip(requests, arePlain) {
            do {
                if !isPlain { try await accept(tasks, trace: trace) }
                results.append(.success(()))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// Sends a task with a key that counts already, if it is not sent.
    func complete(_ task: TaskID, key: ReplacementKey) async throws {
        try await replacement.complete(task, key: key)
    }

    /// Accepts tasks with random ids that no request waits for: with short lists, immediately, and in place of no other.
    /// After an error some of them may be durable. The caller repeats it, which accepts each once, or withdraws them.
    func acceptRepeatedly(_ tasks: [PreparedTask]) async throws {
        try await keep(tasks)
        try await producer.send(tasks.map { $0.message(trace: nil) })
        for prepared in tasks { accepted[prepared.task.dialect]?.increment() }
    }

    /// Tasks that replace no other.
    private func acceptPlain(_ open: [PreparedTask], trace: TraceContext?) async throws {
        guard !open.isEmpty else { return }
        do {
            try await keep(open)
            for prepared in open where prepared.parts.count > 1 {
                try await send(prepared.parts, of: prepared.task, trace: trace)
            }
            try await producer.send(open.map { $0.message(trace: trace) })
        } catch {
            await withdraw(open)
            throw error
        }
    }

    /// A repeated request whose task is closed gets the same answer and does nothing: the ledger may have expired, and
    /// with it the record of which devices were sent the push.
    private func notDone(_ tasks: [PreparedTask]) async throws(StoreError) -> [PreparedTask] {
        var open: [PreparedTask] = []
        for prepared in tasks {
            let task = prepared.task
            // A scheduled task may have been cancelled and closed at any time.
            let isOld = task.sendAt != nil || time.now >= task.begins + TaskArchiveBounds.forgettingAge
            if task.id.isDerived, isOld, try await archive.isReported(task.id) {
                log.info("request repeated after its task was closed", [.task: "\(task.id)", .app: task.app.text])
            } else {
                open.append(prepared)
            }
        }
        return open
    }

    private func keep(_ tasks: [PreparedTask]) async throws {
        try await archive.keep(tasks.filter { $0.task.sendAt == nil }.map(\.archived))
        let waiting = tasks.filter { $0.task.sendAt != nil }
        _ = try await waiting.concurrentMap(atOnce: TaskAcceptance.writesAtOnce) { [archive] prepared in
            try await archive.schedule(prepared.content, of: prepared.task.id, entry: prepared.task.entry)
        }
    }

    private func send(_ parts: [ArraySlice<TargetEntry>], of task: PushTask, trace: TraceContext?) async throws {
        for numbers in parts.indices.chunks(of: TaskAcceptance.partsAtOnce) {
            try await producer.send(
                numbers.map { number in
                    let part = TaskPart(task: task.id, number: number, entries: Array(parts[number]))
                    guard let begins = task.sendAt else {
                        return Topics.parts(of: task.target.list).message(
                            .part(part), key: Topics.key(task.id), trace: trace)
                    }
                    return Topics.schedules.message(
                        .part(part, begins: begins), key: Topics.key(task.id, part: number), trace: trace)
                })
        }
    }

    /// A refused task must not be listed. It may still be on the bus if its acknowledgement was lost: with a plan it is
    /// in progress, and if it is planned later, the resolver archives its content again. A request with a key is not
    /// withdrawn, because the client will repeat it.
    func withdraw(_ tasks: [PreparedTask]) async {
        let own = tasks.filter { !$0.task.id.isDerived }
        for (place, prepared) in own.enumerated() {
            do {
                try await withdraw(prepared)
            } catch {
                // The others would wait as long for the same failure.
                let count = own.count - place
                return log.warning("refused tasks not withdrawn", [.count: "\(count)", .error: "\(error)"])
            }
        }
    }

    private func withdraw(_ prepared: PreparedTask) async throws {
        let task = prepared.task
        guard try await ledger.progress(of: task.id) == nil else { return }
        try await archive.withdraw(task.id)
        if task.sendAt != nil { try await archive.unschedule([task.id], of: task.app.owner) }
        if try await ledger.progress(of: task.id) != nil { try await keep([prepared]) }
    }
}

extension TaskAcceptance.PreparedTask {
    /// A task that is to be sent later waits on `schedules`.
    fileprivate func message(trace: TraceContext?) -> OutgoingMessage {
        let key = Topics.key(task.id)
        return task.sendAt == nil
            ? Topics.tasks.message(encoded: content, key: key, trace: trace)
            : Topics.schedules.message(.task(task), key: key, trace: trace)
    }

    fileprivate var archived: ArchivedTask { ArchivedTask(task.id, content: content, entry: task.entry) }
}
