import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Handles tasks and the parts of short lists: few devices are resolved immediately, many become jobs.
///
/// Every decision about a task is stored once, before anything follows from it, so that a redelivered task continues
/// where it was interrupted.
struct TaskHandler: MessageHandler {
    /// Concurrent tasks of one delivery: single pushes mostly wait for the store.
    static let tasksAtOnce = 16
    /// Delay of a reporter's first check of a task for which no result has come.
    static let agendaPause = Duration.seconds(5)

    let archive: any TaskArchive
    let ledger: any Ledger
    let agenda: any TaskAgenda
    let sizer: AudienceSizer
    let inputs: ResolutionInputCache
    let marking: JobMarking
    let completion: JobCompletion
    let counting: PublicationCounting
    let events: EventPublisher
    let activities: ActivityRelease
    let window: Int
    let meters: ResolverMeters

    func handle(
        _ messages: [ReceivedMessage<TaskMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try await counting.count(messages, at: context.time.now)
        // Messages of one task keep their order: its parts come before it.
        let tasks = messages.groups { $0.message.taskID }
        let outputs = try await tasks.concurrentMap(atOnce: TaskHandler.tasksAtOnce) { messages in
            var outputs: [OutgoingMessage] = []
            for message in messages { outputs += try await take(message, context: context) }
            return outputs
        }
        return outputs.joined() + messages.compactMap { TaskHandler.acceptance(of: $0) }
    }

    func giveUp(_ letter: DeadLetter) async throws {
        try await archive.giveUp(taskOf: letter)
    }

    /// The scheduler tells of a task that waited for its time.
    private static func acceptance(of message: ReceivedMessage<TaskMessage>) -> OutgoingMessage? {
        guard case .task(let task) = message.message, task.sendAt == nil else { return nil }
        return task.acceptance(trace: message.trace)
    }

    private func take(
        _ message: ReceivedMessage<TaskMessage>, context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        switch message.message {
        case .part(let part):
            try await archive.keep(part, encoded: message.origin.value)
            return []
        case .task(let task):
            guard task.awaitsState, !task.isWithdrawn else {
                return try await take(task, message: message, context: context)
            }
            return try await publish(task, message: message, context: context)
        }
    }

    /// A publication of a Live Activity, with what is decided now.
    private func publish(
        _ task: PushTask, message: ReceivedMessage<TaskMessage>, context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        switch try await activities.step(of: task, at: context.time.now) {
        case .go(let decided, let value, let mirror):
            let outputs = try await take(
                decided, message: message.replaced(by: .task(decided), value: value), context: context)
            return outputs
                + [mirror].compactMap { $0 }.map { mirror in
                    Topics.tasks.message(.task(mirror), key: Topics.key(mirror.id), trace: message.trace)
                }
        case .wait(let waiting):
            return [Topics.schedules.message(.task(waiting), key: Topics.key(task.id), trace: message.trace)]
        case .superseded(let withdrawn):
            let value = TaskMessage.task(withdrawn).encoded()
            return try await take(
                withdrawn, message: message.replaced(by: .task(withdrawn), value: value), context: context)
        }
    }

    private func take(
        _ task: PushTask, message: ReceivedMessage<TaskMessage>, context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        let input = ResolutionInput(task)
        do {
            try input.audience?.checkBounds()
        } catch {
            throw PoisonMessageError("the audience of task \(task.id) \(error)")
        }
        let started = context.time.uptime
        // Nearly every task is new: its audience is queried while the archive is checked for it.
        async let finding = sizer.measure(input)
        let isReported = try await archive.isReported(task.id)
        let found = try await finding
        // A task for few that has a plan is noticed when it begins.
        if isReported || found.isForMany, let progress = try await ledger.progress(of: task.id) {
            return try await goOn(input, progress: progress, message: message, context: context)
        }
        var isDone = isReported
        if !isDone { isDone = try await archive.hasForgotten(task, at: context.time.now) }
        guard !isDone else {
            context.log.warning("finished task redelivered; ignored", [.task: "\(task.id)"])
            return []
        }
        return try await begin(
            task, input: input, finding: found, started: started, message: message, context: context)
    }

    private func goOn(
        _ input: ResolutionInput, progress: TaskProgress, message: ReceivedMessage<TaskMessage>,
        context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        guard progress.closed == nil, !progress.hasResolvedAllJobs else { return [] }
        return try await goOn(input, plan: progress.plan, message: message, context: context)
    }

    private func begin(
        _ task: PushTask, input: ResolutionInput, finding: AudienceSizer.Finding, started: Duration,
        message: ReceivedMessage<TaskMessage>, context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        // Normally cancelled before; the store may have lost that.
        if task.isWithdrawn {
            _ = try await ledger.cancel(task.id, in: SegmentID(task.app, number: SegmentNumber(rawValue: 0)))
        }
        switch finding {
        case .few(let found):
            let beginning = try await ledger.begin(
                task.id, plan: TaskPlan(task, jobs: 1, lane: .fast), devices: DecidedDevices(found.selected).encoded,
                unmatched: found.unmatched, in: found.selected.map(\.segment))
            switch beginning {
            case .planned:
                guard let progress = try await ledger.progress(of: task.id) else {
                    throw StoreError(.unavailable, message: "the plan of task \(task.id) was there and is lost")
                }
                return try await goOn(input, progress: progress, message: message, context: context)
            case .begun(let entered):
                meters.tasksPlanned(.fast).increment()
                try await finish(
                    input, targets: found.selected, enteredIn: entered, started: started, message: message,
                    context: context)
                return []
            }
        case .many(let segments):
            let decided = try await archive.decide(segments: segments, of: task.id)
            let jobs = decided.count + input.list.partCount
            let plan = try await ledger.plan(task.id, as: TaskPlan(task, jobs: jobs, lane: .bulk))
            if !plan.isFast { meters.tasksPlanned(.bulk).increment() }
            return try await goOn(input, plan: plan, message: message, context: context)
        }
    }

    /// Continues with an existing plan, which another resolver may have made.
    private func goOn(
        _ input: ResolutionInput, plan: TaskPlan, message: ReceivedMessage<TaskMessage>, context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        guard plan.isFast else {
            // A large task that was withdrawn was released before, and the cancel ends its devices.
            guard !input.isWithdrawn else { return [] }
            return try await distribute(input, plan: plan, message: message, context: context)
        }
        let started = context.time.uptime
        guard let decided = try await ledger.decidedDevices(of: input.task) else {
            // The list is dropped when the job is resolved, and there is only one job.
            if try await ledger.isResolved(job: 0, of: input.task) == true { return [] }
            throw StoreError(.corrupt, message: "the resolved devices of task \(input.task) are missing in the ledger")
        }
        let targets = try await sizer.search.find(DecidedDevices(decoding: decided), in: input.app)
        try await finish(input, targets: targets, enteredIn: nil, started: started, message: message, context: context)
        return []
    }

    /// Resolves a fast task immediately.
    private func finish(
        _ input: ResolutionInput, targets: [SelectedDevices], enteredIn entered: EnteredTask?, started: Duration,
        message: ReceivedMessage<TaskMessage>, context: HandlerContext
    ) async throws {
        // A single push consists of such sequential queries, and during a broadcast each of them takes long.
        async let kept: Void = keep(message, at: context.time.now)
        async let noted: Void = agenda.enter(input.task, due: context.time.now + TaskHandler.agendaPause)
        async let shown: Void = events.publish(message)
        var output = JobOutput(
            of: input.task, app: input.app, lane: .fast, content: message.origin.value, trace: message.trace)
        output.add(try await marking.mark(targets, job: 0, input: input, enteredIn: entered))
        try await kept
        try await noted
        await shown
        let hasNoDevices = output.isEmpty
        // The task began with the number of list entries without a device.
        try await completion.complete([ResolvedJob(0)], output: output, next: nil, context: context)
        // No result will trigger the reporter to close this one.
        if hasNoDevices { try await agenda.postpone(input.task, until: context.time.now) }
        meters.duration(.fast).record(context.time.uptime - started)
    }

    /// The first jobs of a bulk task. Jobs that were sent before and are resolved do nothing when redelivered.
    private func distribute(
        _ input: ResolutionInput, plan: TaskPlan, message: ReceivedMessage<TaskMessage>, context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        let segments = try await archive.decide(segments: [], of: input.task)
        guard segments.count + input.list.partCount == plan.jobs else {
            throw StoreError(.corrupt, message: "the segments of task \(input.task) do not match its plan")
        }
        inputs.keep(input)
        try await keep(message, at: context.time.now)
        try await agenda.enter(input.task, due: context.time.now + TaskHandler.agendaPause)
        await events.publish(message)
        let heads = JobWindow.heads(
            of: input.task, app: input.app, segments: segments, parts: input.list.partCount, window: window)
        return heads.map { Topics.segments.message($0, key: $0.key, lane: .bulk, trace: message.trace) }
    }

    /// After the plan: the code that takes back the content of a task that seemed unsent looks for a plan first.
    /// A withdrawn task is listed at the time of its end.
    private func keep(_ message: ReceivedMessage<TaskMessage>, at now: Timestamp) async throws {
        guard case .task(let task) = message.message else { return }
        let entry =
            task.isWithdrawn ? TaskEntry(app: task.app, begins: now, deadline: task.deadline) : task.entry
        try await archive.keep(message.origin.value, of: task.id, entry: entry)
        // A moment releases a task before the time with which it waited; a publication was accepted without its state.
        if task.window?.awaitsMoment == true || task.isPublication, !task.isWithdrawn {
            try await archive.reschedule(message.origin.value, of: task.id, entry: entry)
        }
        if task.hasListedContents { try await archive.retainContents(of: task.id, deadline: task.deadline, at: now) }
    }
}

extension ReceivedMessage<TaskMessage> {
    fileprivate func replaced(by message: TaskMessage, value: [UInt8]) -> ReceivedMessage {
        let origin = IncomingMessage(
            partition: origin.partition, offset: origin.offset, key: origin.key, value: value, headers: origin.headers,
            timestamp: origin.timestamp)
        return ReceivedMessage(message: message, origin: origin)
    }
}

extension TaskMessage {
    fileprivate var taskID: TaskID {
        switch self {
        case .task(let task): task.id
        case .part(let part): part.task
        }
    }
}

extension TaskPlan {
    fileprivate init(_ task: PushTask, jobs: Int, lane: Lane) {
        let policy: AmbiguityPolicy = task.options.ambiguity == .atMostOnce ? .atMostOnce : .atLeastOnce
        self.init(app: task.app, jobs: jobs, isFast: lane == .fast, deadline: task.deadline, policy: policy)
    }
}
