import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Scheduler

/// Schedulers that hold tasks, with a bus and stores in memory, and a manual clock.
final class ScheduleFixture: Sendable {
    let time = ManualTimeSource()
    let bus: MemoryBus
    let archive = MemoryTaskArchive()
    let index: WatchedIndex
    let replacements: MemoryTaskReplacements
    let moments: MemoryUserMoments
    let opens = MemoryUserOpens()
    let metrics = Metrics()
    let ledger: MemoryLedger
    let app: AppID
    /// Steps of the release and of the index's changes.
    let scissors = Scissors()
    let isReady = Monitor(true)

    init() throws {
        bus = MemoryBus(time: time, random: SeededRandomSource(seed: 1))
        index = WatchedIndex(MemoryRetryIndex(time: time))
        replacements = MemoryTaskReplacements(time: time)
        ledger = MemoryLedger(time: time)
        moments = MemoryUserMoments(time: time)
        app = try AppID("news")
    }

    func task(_ number: UInt64, after pause: Duration) -> PushTask {
        var task = PushTask(id: TaskID(high: 0x4000, low: number), app: app, created: time.now)
        task.sendAt = time.now + pause
        task.options.timeToLive = .seconds(3_600)
        task.content.message = PushMessage()
        task.content.platforms = [.ios]
        return task
    }

    /// Sends what ingest sends.
    func post(_ task: PushTask, parts: [TaskPart] = []) async throws {
        archive.schedule(TaskMessage.task(task).encoded(), of: task.id, entry: task.entry)
        let records = parts.map {
            Topics.schedules.message(.part($0, begins: task.begins), key: Topics.key(task.id, part: $0.number))
        }
        try await send(records + [Topics.schedules.message(.task(task), key: Topics.key(task.id))])
    }

    func withdraw(_ task: PushTask) async throws {
        try await send([Topics.schedules.message(.task(task.withdrawn), key: Topics.key(task.id))])
    }

    private func send(_ messages: [OutgoingMessage]) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        for messages in messages.chunks(of: 100) { try await producer.send(Array(messages)) }
        await producer.close()
    }

    /// Runs the services of one scheduler during the body.
    func withScheduler(hasLog: Bool = true, _ body: () async throws -> Void) async throws {
        let environment = TestEnvironment(time: time, random: SystemRandomSource(), metrics: metrics).forWorkers
        let parts = try await parts(environment, hasLog: hasLog)
        let channel = Topics.schedules.channel
        let worker = Worker(
            channel: channel, group: "scheduler", handler: parts.intake, options: WorkerOptions(),
            consumer: try await bus.makeConsumer(ConsumerOptions(channel: channel, group: "scheduler")),
            producer: try await bus.makeProducer(ProducerOptions()), environment: environment)
        try await withRunning(parts.releasers + [worker], body: body)
    }

    func parts(_ environment: WorkerEnvironment, hasLog: Bool = true) async throws -> ScheduledTaskParts {
        ScheduledTaskParts(
            TaskReplacement.Stores(replacements: replacements, archive: archive, ledger: ledger),
            agenda: MemoryTaskAgenda(time: time),
            reader: MemoryRegistry(time: time, random: SeededRandomSource(seed: 2)), index: index,
            moments: moments, opens: opens,
            isRegistryReady: { [isReady] in isReady.withLock { $0 } },
            producer: try await bus.makeProducer(ProducerOptions()), hasLog: hasLog,
            lease: SchedulerFixture.lease, environment: environment)
    }

    func records() async throws -> [ScheduleRecord] {
        try await messages(Topics.schedules.channel).map { try ScheduleRecord(decoding: $0.value) }
    }

    /// The release alone, which dies when the scissors cut.
    func release(hasLog: Bool = true) async throws -> TaskRelease {
        let archive = CutArchive(archive, scissors: scissors)
        let index = CutIndex(index, scissors: scissors)
        let producer = CutProducer(try await bus.makeProducer(ProducerOptions()), scissors: scissors)
        return TaskRelease(
            archive: archive, replacements: replacements, producer: producer,
            cleanup: ReleaseCleanup(
                schedule(archive: archive, index: index), index: index, producer: producer, hasLog: hasLog),
            isRegistryReady: { [isReady] in isReady.withLock { $0 } }, hasLog: hasLog,
            log: Log(service: "test", level: .error))
    }

    func schedule(archive: any TaskArchive, index: any RetryIndex) -> TaskSchedule {
        TaskSchedule(
            archive: archive, index: index, moments: moments, hours: LearntHours(opens, metrics: metrics))
    }

    /// Waits until all releasers sleep, one of them until this moment.
    func sleeps(until moment: Timestamp, schedulers: Int = 1) async -> Bool {
        guard await index.hasLooked(at: { $0.next == moment }) else { return false }
        return await isAtRest(schedulers: schedulers)
    }

    /// Waits until all releasers sleep.
    func isAtRest(schedulers: Int = 1) async -> Bool {
        await time.hasSleepers(schedulers * RetryShard.tasks.count)
    }

    func released() async throws -> [PushTask] {
        try await messages(Topics.tasks.channel).compactMap {
            guard case .task(let task) = try TaskMessage(decoding: $0.value) else { return nil }
            return task
        }
    }

    func parts(on channel: Channel) async throws -> [TaskPart] {
        try await messages(channel).compactMap {
            guard case .part(let part) = try TaskMessage(decoding: $0.value) else { return nil }
            return part
        }
    }

    /// Enters what was posted, and releases nothing.
    func takeIn(_ count: Int) async throws {
        isReady.withLock { $0 = false }
        try await withScheduler {
            #expect(await index.hasAdded(count))
            #expect(await isAtRest())
        }
        isReady.withLock { $0 = true }
        time.advance(by: SchedulerFixture.lease)
    }

    /// The keys of tombstones that no scheduler has read.
    func tombstones() async throws -> Set<[UInt8]> {
        Set(try await messages(Topics.schedules.channel).filter(\.value.isEmpty).map { $0.key ?? [] })
    }

    func depth() -> Int { RetryShard.tasks.reduce(0) { $0 + index.outlook(of: $1).depth } }

    private func messages(_ channel: Channel) async throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        try await bus.scan(channel) { message in
            messages.append(message)
            return true
        }
        return messages
    }
}

/// An index that may crash before or after entries are removed.
struct CutIndex: RetryIndex {
    private let index: any RetryIndex
    private let scissors: Scissors

    init(_ index: any RetryIndex, scissors: Scissors) {
        self.index = index
        self.scissors = scissors
    }

    func add(_ entries: [RetryEntry], to shard: RetryShard) async throws(StoreError) {
        try await index.add(entries, to: shard)
    }

    func lease(upTo count: Int, for duration: Duration, in shard: RetryShard) async throws(StoreError) -> RetryLease {
        try await index.lease(upTo: count, for: duration, in: shard)
    }

    func complete(_ entries: [RetryEntry], in shard: RetryShard) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await index.complete(entries, in: shard)
        }
    }

    func giveBack(_ lease: RetryLease, in shard: RetryShard) async throws(StoreError) {
        try await index.giveBack(lease, in: shard)
    }

    func outlook(of shard: RetryShard) async throws(StoreError) -> RetryOutlook {
        try await index.outlook(of: shard)
    }
}
