import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Renders chunks of targeted devices and passes them to the senders, with their payloads.
///
/// After any interruption a redelivered chunk yields the same again, which the ledger's claims make harmless.
struct RenderHandler: MessageHandler {
    /// Delay until devices of a task with missing content are retried.
    static let absentPause = Duration.seconds(60)

    private let tasks: TaskCache
    private let ledger: any Ledger
    private let endings: DeviceEndings
    private let handedOver = PartialDispatches()
    private let rendered: [Counter]
    private let unledgered: Counter

    init(tasks: TaskCache, ledger: any Ledger, environment: WorkerEnvironment) {
        self.tasks = tasks
        self.ledger = ledger
        let metrics = environment.metrics
        unledgered = metrics.counter(.rendererDevicesUnledgered)
        endings = DeviceEndings(
            ledger: ledger, random: environment.random, log: environment.log,
            ended: metrics.counter(.rendererDevicesEnded), unledgered: unledgered)
        rendered = DispatchFamily.allCases.map {
            metrics.counter(.rendererDevicesRendered, labels: ["topic": $0.topic.declaration.name])
        }
    }

    func handle(
        _ messages: [ReceivedMessage<AudienceChunk>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        var work = RenderedWork()
        for received in messages {
            switch try await task(of: received.message, context) {
            case .known(let task):
                let contents = try await tasks.contents(of: received.message, task: task, now: context.time.now)
                try await postponeMissing(received, contents: contents, into: &work, context: context)
                try await render(received, contents: contents, into: &work, context: context)
            case .ended: continue
            case .absent: postpone(received, into: &work, context: context) { _ in true }
            }
        }
        let origins = messages.map(\.origin)
        try await handOver(work, of: origins, context: context)
        guard work.held > 0 else { return work.results + work.postponed }
        // The chunks are redelivered; ended devices are then reported again, under the same ids.
        try await context.producer.send(work.results)
        handedOver.note(Set(work.dispatches.keys), of: origins)
        throw HeldElsewhereError(count: work.held)
    }

    /// Concurrently, so that a sender with a full topic delays no other.
    private func handOver(
        _ work: RenderedWork, of origins: [IncomingMessage], context: HandlerContext
    ) async throws {
        let failures = await withTaskGroup(of: (DispatchFamily, (any Error)?).self) { group in
            for (family, messages) in work.dispatches {
                group.addTask {
                    do {
                        try await context.producer.send(messages)
                        return (family, nil)
                    } catch {
                        return (family, error)
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        guard let failure = failures.values.first else { return }
        handedOver.note(Set(work.dispatches.keys.filter { failures[$0] == nil }), of: origins)
        throw failure
    }

    private enum TaskState {
        case known(CachedTask)
        /// The task is closed, so all of its devices have ended. An unknown task was closed long ago, or is lost: no
        /// sender would get its devices, and a rebuild finds the chunk on the bus.
        case ended
        /// Its content is missing, and comes back when the task is read from the bus again.
        case absent
    }

    private func task(of chunk: AudienceChunk, _ context: HandlerContext) async throws -> TaskState {
        guard let kept = try await tasks.task(of: chunk, now: context.time.now) else {
            return try await isOpen(chunk.task, count: chunk.deviceCount, context: context) ? .absent : .ended
        }
        guard kept.task.app == chunk.app else {
            throw PoisonMessageError("the chunk is of app \(chunk.app), but its task is of app \(kept.task.app)")
        }
        return .known(kept)
    }

    private func isOpen(_ task: TaskID, count: Int, context: HandlerContext) async throws -> Bool {
        guard let progress = try await ledger.progress(of: task) else {
            unledgered.increment(by: count)
            context.log.error("devices skipped: unknown task", [.task: "\(task)", .count: "\(count)"])
            return false
        }
        return progress.closed == nil
    }

    /// Devices with a content that the archive does not have, for the same reasons as a task.
    private func postponeMissing(
        _ received: ReceivedMessage<AudienceChunk>, contents: ChunkContents, into work: inout RenderedWork,
        context: HandlerContext
    ) async throws {
        let chunk = received.message
        let count = chunk.deviceCount { contents.source(of: $0) == nil }
        guard count > 0, try await isOpen(chunk.task, count: count, context: context) else { return }
        postpone(received, into: &work, context: context) { contents.source(of: $0) == nil }
    }

    /// The devices wait in the retry index, so that they block no others, and are retried until their task is closed.
    private func postpone(
        _ received: ReceivedMessage<AudienceChunk>, into work: inout RenderedWork, context: HandlerContext,
        where isMeant: (ContentNumber) -> Bool
    ) {
        let chunk = received.message
        context.log.error(
            "task content missing from the store; its devices wait",
            [.task: "\(chunk.task)", .app: chunk.app.text, .count: "\(chunk.deviceCount(where: isMeant))"])
        let pause = RenderHandler.absentPause
        let due = context.time.now + pause + context.random.duration(in: .zero...(pause / 2))
        work.postponed += chunk.orders(due: due, where: isMeant).map { order in
            Topics.retries.message(
                order, key: Topics.key(order.task, segment: order.segment.number), lane: chunk.lane,
                trace: received.trace)
        }
    }

    private func render(
        _ received: ReceivedMessage<AudienceChunk>, contents: ChunkContents, into work: inout RenderedWork,
        context: HandlerContext
    ) async throws {
        let chunk = received.message
        let done = handedOver.families(of: received.origin)
        var sorting = ChunkSorting(chunk, contents: contents)
        for (family, dispatch) in sorting.dispatches() where !done.contains(family) {
            rendered[family.rawValue].increment(by: dispatch.deviceCount)
            let key = dispatch.segments.first.map { Topics.key(chunk.task, segment: $0.segment) }
            work.dispatches[family, default: []].append(
                family.topic.message(dispatch, key: key, lane: chunk.lane, trace: received.trace))
        }
        for order in sorting.endings {
            context.log.warning(
                "devices not sent",
                [.task: "\(order.task)", .count: "\(order.devices.count)", .reason: order.reason])
            let ending = try await endings.end(order)
            work.held += ending.held.count
            work.results += ResultBatch.messages(
                ending.results, of: chunk.task, app: chunk.app, at: context.time.now, trace: received.trace)
        }
    }
}

/// The output of a delivery.
private struct RenderedWork: Sendable {
    var dispatches: [DispatchFamily: [OutgoingMessage]] = [:]
    var results: [OutgoingMessage] = []
    /// Retry orders.
    var postponed: [OutgoingMessage] = []
    /// Number of devices to be ended that another process holds.
    var held = 0
}
