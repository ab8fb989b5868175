import Bus
import HTTPServer
import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// Makes tasks durable: once accepted, a task completes even if any process crashes.
struct TaskAcceptance: Sendable {
    /// A task in the form in which it is stored and sent.
    struct PreparedTask: Sendable {
        let task: PushTask
        /// The parts of its list; at most one if the task contains the list.
        let parts: [ArraySlice<TargetEntry>]
        let message: OutgoingMessage
    }

    /// Maximum number of list parts in flight.
    private static let partsAtOnce = 64

    private let archive: any TaskArchive
    private let ledger: any Ledger
    private let producer: any BusProducer
    private let time: any TimeSource
    private let log: Log
    private let accepted: [TaskDialect: Counter]

    init(_ access: TaskAccess, environment: WorkerEnvironment) {
        archive = access.archive
        ledger = access.ledger
        producer = access.producer
        time = environment.time
        log = environment.log
        accepted = Dictionary(
            uniqueKeysWithValues: TaskDialect.allCases.map {
                ($0, environment.metrics.counter(.ingestTasksAccepted, labels: ["dialect": $0.rawValue]))
            })
    }

    func prepare(
        _ draft: TaskDraft, id: TaskID, created: Timestamp, of caller: AuthorizedCaller, trace: TraceContext?
    ) throws(TaskError) -> PreparedTask {
        let listless = draft.task(id, of: caller, created: created)
        var task = listless
        let parts = ListParts.cut(draft.entries)
        task.target.list =
            parts.count > 1
            ? .parts(count: parts.count, entries: draft.entries.count) : .entries(draft.entries)
        let message = Topics.tasks.message(.task(task), key: task.busKey, trace: trace)
        // Encoded again without the list only if the whole is too large.
        guard
            message.value.count <= TaskLimits.taskBytesMaximum
                || listless.bytes.count <= TaskLimits.taskBytesMaximum
        else {
            throw .tooLarge("the task without its list", TaskLimits.taskBytesMaximum)
        }
        return PreparedTask(task: task, parts: parts, message: message)
    }

    /// Accepts the tasks of one request. The content of each task is archived before any is sent, and the tasks are sent
    /// after all parts of their lists, which have no effect without them. An interruption before the last step has no
    /// effect; one of the last step may leave some of the tasks on the bus. A repeat of the request makes the same
    /// tasks under the same ids, sends those that are missing, and later stages drop the others.
    func accept(_ tasks: [PreparedTask], trace: TraceContext?) async throws {
        let open = try await notDone(tasks)
        guard !open.isEmpty else { return }
        do {
            for prepared in open {
                try await keep(prepared.task, content: prepared.message.value)
                if prepared.parts.count > 1 { try await send(prepared.parts, of: prepared.task, trace: trace) }
            }
            try await producer.send(open.map(\.message))
        } catch {
            for prepared in open { await withdraw(prepared.task, content: prepared.message.value) }
            throw error
        }
        for prepared in open { accepted[prepared.task.dialect]?.increment() }
    }

    /// A repeated request whose task is closed gets the same answer and does nothing: the ledger may have expired, and
    /// with it the record of which devices were sent the push.
    private func notDone(_ tasks: [PreparedTask]) async throws(StoreError) -> [PreparedTask] {
        var open: [PreparedTask] = []
        for prepared in tasks {
            let task = prepared.task
            let mayBeDone = task.id.isDerived && time.now >= task.created + TaskArchiveBounds.forgettingAge
            if mayBeDone, try await archive.isReported(task.id) {
                log.info("request repeated after its task was closed", [.task: "\(task.id)", .app: task.app.text])
            } else {
                open.append(prepared)
            }
        }
        return open
    }

    private func keep(_ task: PushTask, content: [UInt8]) async throws(StoreError) {
        let entry = TaskEntry(app: task.app, created: task.created, deadline: task.deadline)
        try await archive.keep(content, of: task.id, entry: entry)
    }

    private func send(_ parts: [ArraySlice<TargetEntry>], of task: PushTask, trace: TraceContext?) async throws {
        let topic = task.target.list.entryCount > TargetList.atOnceMaximum ? Topics.lists : Topics.tasks
        for numbers in parts.indices.chunks(of: TaskAcceptance.partsAtOnce) {
            try await producer.send(
                numbers.map { number in
                    let part = TaskPart(task: task.id, number: number, entries: Array(parts[number]))
                    return topic.message(.part(part), key: task.busKey, trace: trace)
                })
        }
    }

    /// A refused task must not be listed. It may still be on the bus if its acknowledgement was lost: with a plan it is
    /// in progress, and if it is planned later, the resolver archives its content again. A request with a key is not
    /// withdrawn, because the client will repeat it.
    private func withdraw(_ task: PushTask, content: [UInt8]) async {
        guard !task.id.isDerived else { return }
        do throws(StoreError) {
            guard try await ledger.progress(of: task.id) == nil else { return }
            try await archive.withdraw(task.id)
            if try await ledger.progress(of: task.id) != nil { try await keep(task, content: content) }
        } catch {
            log.warning("refused task not withdrawn from the archive", [.task: "\(task.id)", .error: "\(error)"])
        }
    }
}

extension PushTask {
    fileprivate var bytes: [UInt8] { TaskMessage.task(self).encoded() }
    /// The shared key keeps parts and their task in order on a topic.
    fileprivate var busKey: [UInt8] { Array(id.key.utf8) }
}
