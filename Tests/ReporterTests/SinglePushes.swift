import Bus
import MemoryBus
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TaskModel
import TestSupport
import Topics

@testable import Reporter

/// Tasks for one device, and a closer of them, in stores in a Redis.
struct SinglePushes {
    let stores: TaskStores
    let closer: TaskCloser
    private let fixture: ReporterFixture

    /// Takes what needs no store from the fixture.
    init(_ fixture: ReporterFixture, connection: StoreConnection) async throws {
        let (time, log) = (fixture.time, fixture.environment.log)
        self.fixture = fixture
        stores = TaskStores(
            ledger: RedisLedger(connection, time: time), archive: RedisTaskArchive(connection, time: time),
            agenda: RedisTaskAgenda(connection, time: time), traces: RedisTaskTraces(connection, time: time),
            statistics: RedisTaskStatistics(connection, time: time),
            deviceTasks: RedisDeviceTasks(connection, time: time),
            witness: RedisWitness(connection, isRepairable: false, log: log, metrics: fixture.metrics),
            outbox: RedisStateOutbox(connection))
        let producer = try await fixture.bus.makeProducer(ProducerOptions())
        closer = TaskCloser(
            stores,
            untried: UntriedDevices(
                ledger: stores.ledger, registry: fixture.registry, producer: producer,
                environment: fixture.environment),
            producer: producer, states: fixture.recorder(), learner: fixture.learner(), expectsReports: { _ in false },
            lease: ReporterFixture.lease, traceRetention: TaskTraceBounds.retention, environment: fixture.environment)
    }

    /// Does the work of all services before the reporter.
    func deliver(_ number: UInt64) async throws -> TaskID {
        let (app, offset) = (fixture.app, UInt16(7))
        let task = PushTask(id: TaskID(high: 7, low: number), app: app, created: fixture.time.now)
        let segment = SegmentID(app, number: SegmentNumber(rawValue: 0))
        let plan = Samples.plan(app, until: task.deadline, isFast: true)
        try await stores.archive.keep(
            TaskMessage.task(task).encoded(), of: task.id,
            entry: TaskEntry(app: app, begins: task.created, deadline: task.deadline))
        _ = try await stores.ledger.begin(
            task.id, plan: plan, devices: [1], unmatched: 0, in: [segment.number])
        try await stores.agenda.enter(task.id, due: task.deadline)
        _ = try await stores.ledger.mark(
            SegmentSet([offset]), of: task.id, in: segment, enteredIn: EnteredTask(plan: plan, isCancelled: false))
        try await stores.ledger.resolve(job: 0, unmatched: 0, of: task.id)
        let claim = ClaimID(owner: 1, number: number)
        _ = try await stores.ledger.claim(
            ClaimRequest(id: claim, offsets: [offset], attempt: 0, lease: .seconds(90), countsBadge: false),
            of: task.id, in: segment)
        let end = Settlement.Group(offsets: [offset], state: .delivered, attempt: 0, status: 200, provider: .apns)
        _ = try await stores.ledger.settle(Settlement(claim: claim, groups: [end]), of: task.id, in: segment)
        try await stores.ledger.noteReported(SegmentSet([offset]), of: task.id, in: segment)
        return task.id
    }
}
