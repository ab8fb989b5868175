import Apps
import Bus
import HTTPClient
import JSONKit
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Topics

@testable import Reporter

/// The parts of a reporter with a bus and stores in memory, and a manual clock. All its changes to tasks go through
/// `Scissors`, which may cut them off.
final class ReporterFixture: Sendable {
    static let lease = Duration.seconds(60)
    static let fallbackZone = "Asia/Tokyo"

    let time = ManualTimeSource()
    let bus: MemoryBus
    let ledger: MemoryLedger
    let archive = MemoryTaskArchive()
    let agenda: MemoryTaskAgenda
    let traces: MemoryTaskTraces
    let statistics: MemoryTaskStatistics
    let deviceTasks: MemoryDeviceTasks
    let registry: MemoryRegistry
    let outbox: MemoryStateOutbox
    let witness = ScriptedWitness()
    let opens = MemoryUserOpens()
    let app: AppID
    let scissors = Scissors()
    let sink = CollectingSink()
    let metrics = Metrics()

    init(queueBytesMaximum: Int = OutboxBounds.queueBytesMaximum) throws {
        bus = MemoryBus(time: time, random: SeededRandomSource(seed: 1))
        ledger = MemoryLedger(time: time)
        agenda = MemoryTaskAgenda(time: time)
        traces = MemoryTaskTraces(time: time)
        statistics = MemoryTaskStatistics(time: time)
        deviceTasks = MemoryDeviceTasks(time: time)
        registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 2))
        outbox = MemoryStateOutbox(time: time, queueBytesMaximum: queueBytesMaximum)
        app = try AppID("news")
    }

    var environment: WorkerEnvironment {
        TestEnvironment(
            time: time, random: SeededRandomSource(seed: 3), level: .debug, sink: sink, metrics: metrics
        ).forWorkers
    }

    func stores(_ traces: (any TaskTraces)? = nil, statistics: (any TaskStatistics)? = nil) -> TaskStores {
        TaskStores(
            ledger: CutLedger(ledger, scissors: scissors), archive: CutArchive(archive, scissors: scissors),
            agenda: CutAgenda(agenda, scissors: scissors), traces: traces ?? CutTraces(self.traces, scissors: scissors),
            statistics: statistics ?? CutStatistics(self.statistics, scissors: scissors),
            deviceTasks: CutDeviceTasks(deviceTasks, scissors: scissors), witness: witness,
            outbox: CutOutbox(outbox, scissors: scissors))
    }

    /// Creates a recorder as a new process would.
    func recorder(hasWebhook: Bool = false, wakeup: StateWakeup = StateWakeup()) -> StateRecorder {
        let outbox = CutOutbox(outbox, scissors: scissors)
        return StateRecorder(
            messages: TrackedMessages(archive: archive, outbox: outbox), outbox: outbox, registry: registry,
            hasWebhook: { _ in hasWebhook }, wakeup: wakeup, meters: StateMeters(metrics))
    }

    func learner(_ opens: (any UserOpens)? = nil) -> OpenLearner {
        OpenLearner(
            opens ?? self.opens, registry: registry, fallbackZone: { _ in ReporterFixture.fallbackZone },
            environment: environment)
    }

    /// Creates a closer as a new process would.
    func closer(
        expectsReports: Bool = false, hasWebhook: Bool = false, traces: (any TaskTraces)? = nil,
        statistics: (any TaskStatistics)? = nil, opens: (any UserOpens)? = nil
    ) async throws -> TaskCloser {
        let producer = CutProducer(try await bus.makeProducer(ProducerOptions()), scissors: scissors)
        let stores = stores(traces, statistics: statistics)
        let untried = UntriedDevices(
            ledger: stores.ledger, registry: registry, producer: producer, environment: environment)
        return TaskCloser(
            stores, untried: untried, producer: producer, states: recorder(hasWebhook: hasWebhook),
            learner: learner(opens),
            expectsReports: { _ in expectsReports },
            lease: ReporterFixture.lease, traceRetention: TaskTraceBounds.retention, environment: environment)
    }

    func register(_ count: Int, from first: Int = 0) async throws -> [DeviceID] {
        try await registry.registerSamples(first..<first + count, in: app)
    }

    /// Does the work of ingest and resolver: the task is accepted, planned, in the agenda, and its devices are marked.
    func begin(
        _ number: UInt64, devices: [DeviceID], timeToLive: Duration = .seconds(3_600), isFast: Bool = false,
        jobs: Int = 1, resolves: Bool = true, unmatched: Int = 0, change: (inout PushTask) -> Void = { _ in }
    ) throws -> PushTask {
        var task = PushTask(id: TaskID(high: 7, low: number), app: app, created: time.now)
        task.options.timeToLive = timeToLive
        change(&task)
        let entry = TaskEntry(app: app, begins: task.created, deadline: task.deadline)
        archive.keep(TaskMessage.task(task).encoded(), of: task.id, entry: entry)
        _ = try ledger.plan(task.id, as: Samples.plan(app, until: task.deadline, jobs: jobs, isFast: isFast))
        agenda.enter(task.id, due: time.now)
        for (segment, ids) in Dictionary(grouping: devices, by: \.index.segment) {
            _ = ledger.mark(SegmentSet(ids.map(\.index.offset)), of: task.id, in: SegmentID(app, number: segment))
        }
        if resolves { for job in 0..<jobs { try ledger.resolve(job: job, unmatched: unmatched, of: task.id) } }
        return task
    }

    func claim(_ devices: [DeviceID], task: TaskID, lease: Duration = .seconds(90)) {
        for (segment, ids) in Dictionary(grouping: devices, by: \.index.segment) {
            let request = ClaimRequest(
                id: claimID(ids), offsets: ids.map(\.index.offset), attempt: 0, lease: lease, countsBadge: false)
            _ = ledger.claim(request, of: task, in: SegmentID(app, number: segment))
        }
    }

    /// Does the work of a sender: claims, settles, and sends results to the bus.
    func end(
        _ devices: [DeviceID], task: TaskID, as state: DeliveryState, provider: PushProtocol? = nil,
        reason: String = ""
    ) async throws {
        claim(devices, task: task)
        for (segment, ids) in Dictionary(grouping: devices, by: \.index.segment) {
            let group = Settlement.Group(
                offsets: ids.map(\.index.offset), state: state, attempt: 0, reason: reason, provider: provider)
            _ = ledger.settle(
                Settlement(claim: claimID(ids), groups: [group]), of: task, in: SegmentID(app, number: segment))
        }
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send([message(devices, task: task, state: state)])
    }

    func batch(
        _ devices: [DeviceID], task: TaskID, state: DeliveryState, isCounted: Bool = false,
        attempted: Timestamp? = nil
    ) -> ResultBatch {
        let results = devices.map { device in
            DeviceResult(
                device: device, provider: .apns, state: state, attempt: 0, status: 410, reason: "Gone",
                isCounted: isCounted, attempted: attempted)
        }
        return ResultBatch(task: task, app: app, time: time.now, results: results)
    }

    /// The sums of the app's tasks, by the day in which they began.
    func counted(by dimension: StatisticsDimension = .total) -> [StatisticsRow] {
        let selection = StatisticsSelection(
            of: app, by: dimension, interval: .day, from: Timestamp(milliseconds: 0), to: time.now + .seconds(1),
            rowsMaximum: 1_000)
        return statistics.read(selection).rows
    }

    func reports() async throws -> [TaskReport] {
        try await read(Topics.reports)
    }

    func results() async throws -> [ResultBatch] {
        try await read(Topics.results)
    }

    func read<Message>(_ topic: Topic<Message>) async throws -> [Message] {
        var messages: [Message] = []
        try await bus.scan(topic.channel) { message in
            messages.append(try Message(decoding: message.value))
            return true
        }
        return messages
    }

    private func message(_ devices: [DeviceID], task: TaskID, state: DeliveryState) -> OutgoingMessage {
        let batch = batch(devices, task: task, state: state)
        return Topics.results.message(batch, key: batch.key)
    }

    private func claimID(_ devices: [DeviceID]) -> ClaimID {
        ClaimID(owner: 1, number: UInt64(devices[0].index.rawValue))
    }
}
