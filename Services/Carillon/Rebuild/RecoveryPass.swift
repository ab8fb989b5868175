import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// One scan of the topics for the tasks of one slice. Results are read before chunks, so that the outcome of each
/// device in a chunk is already known.
struct RecoveryPass {
    /// Tasks per batch that are sent to be resolved.
    private static let sentAtOnce = 100
    private static let restoredAtOnce = 512

    private let bus: any Bus
    private let stores: RecoveryStores
    private let time: any TimeSource
    private let producer: any BusProducer
    private let patience: StorePatience
    private let replacements: ReplacementRecovery
    private var book: RecoveryBook
    private(set) var summary: RecoverySummary
    /// Reports that were read and are not restored yet, and not added to the statistics.
    private var reports: [TaskReport] = []
    private var uncounted: [TaskReport] = []

    init(_ recovery: TaskRecovery, book: RecoveryBook, producer: any BusProducer, summary: RecoverySummary) {
        bus = recovery.bus
        stores = recovery.stores
        time = recovery.environment.time
        self.producer = producer
        self.book = book
        self.summary = summary
        patience = StorePatience(recovery.environment)
        replacements = ReplacementRecovery(recovery.stores, time: recovery.environment.time)
    }

    private var now: Timestamp { time.now }

    mutating func run(_ note: (RecoverySummary) -> Void) async throws {
        try await scan(Topics.reports.channel, note: note) { try await $0.take(TaskReport(decoding: $1.value)) }
        try await restoreReports()
        try await countReports()
        try await scan(Topics.dead.channel, note: note) { try $0.takeDead($1) }
        try await scan(Topics.lists.channel, note: note) {
            try await $0.take(TaskMessage(decoding: $1.value), bytes: $1.value)
        }
        try await scan(Topics.tasks.channel, note: note) {
            try await $0.take(TaskMessage(decoding: $1.value), bytes: $1.value)
        }
        try await scan(Topics.segments.channel(.bulk), note: note) { try $0.take(SegmentJob(decoding: $1.value)) }
        try await scan(Topics.results.channel, note: note) { try await $0.take(ResultBatch(decoding: $1.value)) }
        for lane in Lane.allCases {
            try await scan(Topics.audience.channel(lane), note: note) {
                try await $0.take(AudienceChunk(decoding: $1.value))
            }
        }
        for lane in Lane.allCases {
            try await scan(Topics.retries.channel(lane), note: note) {
                try await $0.take(RetryOrder(decoding: $1.value))
            }
        }
        try await finish()
    }

    private mutating func scan(
        _ channel: Channel, note: (RecoverySummary) -> Void,
        take: (inout RecoveryPass, IncomingMessage) async throws -> Void
    ) async throws {
        var pass = self
        try await bus.scan(channel) { message in
            pass.summary.count(note)
            do {
                try await take(&pass, message)
            } catch is MalformedMessageError {
                pass.summary.unreadable += 1
            }
            return true
        }
        self = pass
    }
}

// The messages of each topic.
extension RecoveryPass {
    private mutating func take(_ report: TaskReport) async throws {
        guard book.isOpen(report.task) else { return }
        try book.close(report.task)
        uncounted.append(report)
        if uncounted.count == RecoveryPass.restoredAtOnce { try await countReports() }
        guard now < report.closed + TaskTraceBounds.retention else { return }
        reports.append(report)
        if reports.count == RecoveryPass.restoredAtOnce { try await restoreReports() }
    }

    /// Concurrently, so that the store flushes to disk once for many reports.
    private mutating func restoreReports() async throws {
        let restoration = ReportRestoration(stores: stores, now: now)
        let patience = patience
        let restored = try await withThrowingTaskGroup(of: TaskReport?.self) { group in
            for report in reports {
                group.addTask {
                    try await patience.perform { try await restoration.restore(report) } ? report : nil
                }
            }
            var restored: [TaskReport] = []
            for try await report in group {
                if let report { restored.append(report) }
            }
            return restored
        }
        reports = []
        summary.reports += restored.count
        for report in restored where restoration.isRepeatable(report) {
            try book.keep(report.task, until: report.closed + TaskTraceBounds.retention)
        }
    }

    /// The statistics then have every report that is on the topic. The store adds each once, also those that it has.
    private mutating func countReports() async throws {
        let statistics = stores.statistics
        let patience = patience
        summary.counted += try await withThrowingTaskGroup(of: Bool.self) { group in
            for report in uncounted {
                group.addTask { try await patience.perform { try await statistics.fold(CountedTask(report)) } }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        uncounted = []
    }

    private mutating func takeDead(_ message: IncomingMessage) throws {
        guard let letter = DeadLetter(fromDead: message), letter.channel == Topics.tasks.channel.name,
            case .task(let task)? = try? TaskMessage(decoding: letter.value)
        else { return }
        try book.giveUp(task.id)
    }

    private mutating func take(_ message: TaskMessage, bytes: [UInt8]) async throws {
        switch message {
        case .part(let part):
            guard book.isOpen(part.task) else { return }
            try await patience.perform {
                try await stores.archive.keep(part, encoded: bytes)
            }
        case .task(let task):
            if let end = book.repeatable[task.id] { return try await keep(bytes, of: task, until: end) }
            guard book.isOpen(task.id), book.lost[task.id] == nil else { return }
            if try await noteIfLost(task.id, as: LostTask(task)) {
                // A copy beside a lost ledger may have been written during the loss.
                try await patience.perform { try await stores.archive.forget(task.id, after: .zero) }
            }
            try await patience.perform { try await stores.archive.keep(bytes, of: task.id, entry: task.entry) }
        }
    }

    /// A repeat of its request then finds the task as it was accepted, and does not overwrite it.
    private func keep(_ bytes: [UInt8], of task: PushTask, until end: Timestamp) async throws {
        try await patience.perform {
            try await stores.archive.keep(bytes, of: task.id, entry: task.entry)
            try await stores.archive.forget(task.id, after: max(end - now, .milliseconds(1)))
        }
    }

    private mutating func take(_ job: SegmentJob) throws {
        guard book.isOpen(job.task) else { return }
        try book.note(job)
    }

    private mutating func take(_ batch: ResultBatch) async throws {
        guard try await begin(batch.task, of: batch.app) else { return }
        var ended: [SegmentNumber: [DeliveryState: SegmentSet]] = [:]
        for result in batch.results where result.state.isTerminal {
            let segment = result.device.index.segment
            ended[segment, default: [:]][result.state, default: SegmentSet()].insert(result.offset)
        }
        for (segment, states) in ended {
            for (state, devices) in states {
                _ = try await restore(devices, as: state, of: batch.task, in: SegmentID(batch.app, number: segment))
            }
        }
    }

    private mutating func take(_ chunk: AudienceChunk) async throws {
        guard try await begin(chunk.task, of: chunk.app) else { return }
        book.note(chunk.lane, of: chunk.task)
        var results: [DeviceResult] = []
        for devices in chunk.segments {
            let segment = SegmentID(chunk.app, number: devices.segment)
            let unknown = try await restore(
                SegmentSet(devices.offsets), as: .unknown, of: chunk.task, in: segment)
            results += devices.results(of: unknown, attempt: chunk.attempt)
        }
        let messages = ResultBatch.messages(results, of: chunk.task, app: chunk.app, at: now)
        if !messages.isEmpty { try await producer.send(messages) }
    }
}

// Devices that were deferred.
extension RecoveryPass {
    /// Devices that waited for a time of their own are in no chunk. A task of which nothing else was sent is resolved
    /// again, and defers them again.
    private mutating func take(_ order: RetryOrder) async throws {
        guard order.timing.deferral != nil, book.isOpen(order.task), book.lost[order.task]?.isBegun == true else {
            return
        }
        let unknown = try await restore(SegmentSet(order.offsets), as: .unknown, of: order.task, in: order.segment)
        let messages = ResultBatch.messages(
            order.results(of: unknown), of: order.task, app: order.segment.app, at: now)
        if !messages.isEmpty { try await producer.send(messages) }
    }
}

// Recovery of a task.
extension RecoveryPass {
    /// Notes the task as lost, or as having a ledger. A task whose recovery was interrupted is still lost.
    private mutating func noteIfLost(_ task: TaskID, as loss: LostTask) async throws -> Bool {
        let hasPlan = try await patience.perform { try await stores.ledger.progress(of: task) } != nil
        try book.lose(task, as: loss)
        return try await hasPlan ? begin(task, of: loss.app) : true
    }

    /// Claims the ledger of a task that was begun to rewrite it; false if its ledger exists and must be kept.
    private mutating func begin(_ task: TaskID, of app: AppID) async throws -> Bool {
        guard book.isOpen(task) else { return false }
        let known = book.lost[task] ?? LostTask(app: app)
        guard !known.isBegun else { return true }
        let plan = known.plan(at: now)
        guard try await patience.perform({ try await stores.ledger.beginRestoring(task, plan: plan) }) else {
            try book.close(task)
            return false
        }
        if book.lost[task] == nil { try book.lose(task, as: known) }
        book.begin(task)
        return true
    }

    private mutating func restore(
        _ devices: SegmentSet, as state: DeliveryState, of task: TaskID, in segment: SegmentID
    ) async throws -> SegmentSet {
        guard let plan = book.lost[task]?.plan(at: now), plan.app == segment.app else { return SegmentSet() }
        let standing = try await patience.perform {
            try await stores.ledger.restore(devices, as: state, of: task, in: segment, plan: plan)
        }
        guard let standing else {
            try book.close(task)
            return SegmentSet()
        }
        return standing
    }

    private mutating func finish() async throws {
        for (task, lost) in book.lost where lost.isKeyed { try await restorePointer(of: task) }
        var resolved: [OutgoingMessage] = []
        for (task, lost) in book.lost {
            switch lost.verdict(at: now) {
            case .end: try await end(task, lost: lost)
            case .leave: break
            case .resolve(let segments):
                guard let message = try await resolving(task, over: segments) else { continue }
                resolved.append(message)
                guard resolved.count == RecoveryPass.sentAtOnce else { continue }
                try await send(&resolved)
            }
        }
        try await send(&resolved)
    }

    /// The agenda comes first: a check that is too early waits, but a closed task outside the agenda is never reported.
    private mutating func end(_ task: TaskID, lost: LostTask) async throws {
        guard try await begin(task, of: lost.app) else { return }
        let (plan, due) = (lost.plan(at: now), now)
        let closed = try await patience.perform {
            try await stores.agenda.enter(task, due: due)
            try await stores.ledger.endRestoring(task, plan: plan)
            return try await stores.ledger.close(try await stores.ledger.openSegments(of: task), of: task)
        }
        guard let counts = closed?.counts else { return }
        summary.add(counts)
    }

    private func resolving(_ task: TaskID, over segments: [SegmentNumber]) async throws -> OutgoingMessage? {
        try await patience.perform {
            if !segments.isEmpty { _ = try await stores.archive.decide(segments: segments, of: task) }
            guard let content = try await stores.archive.content(of: task) else { return nil }
            return OutgoingMessage(
                channel: Topics.tasks.channel, key: Topics.key(task),
                value: try await withdrawn(task, content: content) ?? content, headers: [Publication.countedHeader])
        }
    }

    private func restorePointer(of task: TaskID) async throws {
        try await patience.perform {
            guard let task = try await stores.archive.task(task) else { return }
            _ = try await replacements.restore(task)
        }
    }

    /// A task that another one has replaced is closed without devices. Nil for one that counts.
    private func withdrawn(_ id: TaskID, content: [UInt8]) async throws -> [UInt8]? {
        guard let task = try? PushTask(archived: content, of: id),
            try await stores.replacements.haveReplaced(task)
        else { return nil }
        return TaskMessage.task(task.withdrawn).encoded()
    }

    private mutating func send(_ resolved: inout [OutgoingMessage]) async throws {
        guard !resolved.isEmpty else { return }
        try await producer.send(resolved)
        summary.resolvedAgain += resolved.count
        resolved = []
    }
}

extension RetryOrder {
    fileprivate func results(of unknown: SegmentSet) -> [DeviceResult] {
        devices.filter { unknown.contains($0.offset) }.map { device in
            let index = DeviceIndex(segment: segment.number, offset: device.offset)
            return DeviceResult(
                device: DeviceID(index: index, tag: device.tag), provider: provider, state: .unknown, attempt: attempt,
                status: 0, reason: TaskRecovery.reason)
        }
    }
}

extension AudienceDevices {
    /// A device whose record cannot be read has no known id and gets no result; it is counted anyway.
    fileprivate func results(of unknown: SegmentSet, attempt: UInt8) -> [DeviceResult] {
        offsets.indices.compactMap { position in
            guard unknown.contains(offsets[position]), let device = DeviceGlance(packed: record(at: position)) else {
                return nil
            }
            let index = DeviceIndex(segment: segment, offset: offsets[position])
            return DeviceResult(
                device: DeviceID(index: index, tag: device.tag), provider: device.kind, state: .unknown,
                attempt: attempt, status: 0, reason: TaskRecovery.reason)
        }
    }
}
