import Bus
import MemoryStore
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Resolvers on a bus that is a list, run message by message, with a manual clock.
final class ResolverFixture: Sendable {
    static let window = 3

    let time = ManualTimeSource()
    let bus = RecordedBus()
    let lifeline = Lifeline()
    let metrics = Metrics()
    let registry:
        any Registry & RegistryReader & RegistryProjection & RegistryMaintenance & TopicStatistics & Activities
    let ledger: any Ledger & LedgerRestoration
    let archive: any TaskArchive
    let agenda: any TaskAgenda
    let outages: MemoryProviderOutages
    let retries: MemoryRetryIndex
    let pacing: MemoryPushPacing
    let judges = ScriptedJudges()
    let app: AppID
    private let server: RedisServer?
    private let changes = Monitor(Int64(0))

    /// Uses stores in memory.
    init() throws {
        app = try AppID("news")
        registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 2))
        ledger = MemoryLedger(time: time)
        archive = MemoryTaskArchive()
        agenda = MemoryTaskAgenda(time: time)
        outages = MemoryProviderOutages(time: time)
        retries = MemoryRetryIndex(time: time)
        pacing = MemoryPushPacing(time: time)
        server = nil
    }

    /// Uses stores in a Redis; each of its commands is a step of the lifeline.
    init(_ server: RedisServer) async throws {
        app = try AppID("news")
        self.server = server
        let log = Log(service: "test", level: .error)
        let redis = RedisClient(try RedisConfiguration(url: server.url), log: log, metrics: metrics)
        let connection = StoreConnection(redis) { [lifeline] in
            lifeline.step() ? nil : StoreError(.unavailable, message: "cut off")
        }
        registry = try await RedisRegistry.open(connection, mode: .authoritative, log: log, time: time)
        ledger = RedisLedger(connection, time: time)
        archive = RedisTaskArchive(connection, time: time)
        agenda = RedisTaskAgenda(connection, time: time)
        outages = MemoryProviderOutages(time: time)
        retries = MemoryRetryIndex(time: time)
        pacing = MemoryPushPacing(time: time)
    }

    /// Registers a device at this segment and offset.
    @discardableResult
    func place(
        _ segment: UInt32, offset: UInt16, kind: PushProtocol = .apns,
        on topics: [TopicName: SubscriptionOptions] = [:], user: String? = nil
    ) async throws -> DeviceID {
        let index = DeviceIndex(segment: SegmentNumber(rawValue: segment), offset: offset)
        let digits = String(index.rawValue, radix: 16)
        let token = try PushToken(kind, text: String(repeating: "0", count: 64 - digits.count) + digits)
        var device = Device(tag: index.rawValue &* 7 &+ 1, token: token, created: 1)
        if let user { device.aliases[.externalUser] = user }
        var contents: [RegistryChange.Content] = [.device(device)]
        contents += topics.map { .subscription($0, $1) }
        try await registry.apply(contents.map { logged(index, content: $0) })
        return DeviceID(index: index, tag: device.tag)
    }

    func change(_ id: DeviceID, content: RegistryChange.Content) async throws {
        try await registry.apply([logged(id.index, content: content)])
    }

    private func logged(_ index: DeviceIndex, content: RegistryChange.Content) -> LoggedChange {
        let offset = changes.change { number in
            number += 1
            return number
        }
        return LoggedChange(offset: offset, RegistryChange(app: app, index: index, content))
    }

    func task(
        _ number: UInt64, audience: Audience?, list: TargetList = .entries([]),
        platforms: Set<Platform> = Set(Platform.allCases)
    ) -> PushTask {
        var task = PushTask(id: TaskID(high: 3, low: number), app: app, created: time.now)
        task.target.audience = audience
        task.target.list = list
        task.content.message = PushMessage()
        task.content.platforms = platforms
        task.options.timeToLive = .seconds(3_600)
        return task
    }

    /// Sends what ingest sends: parts, then the task.
    func post(_ task: PushTask, parts: [TaskPart] = []) {
        let key = Array(task.id.key.utf8)
        let topic = task.target.list.entryCount > TargetList.atOnceMaximum ? Topics.lists : Topics.tasks
        bus.append(parts.map { topic.message(.part($0), key: key) } + [Topics.tasks.message(.task(task), key: key)])
    }

    /// Handles messages until none is left. When a process dies, the next one gets the messages that it had not
    /// acknowledged.
    func run(afterDeath: () async throws -> Void = {}, afterEach: () throws -> Void = {}) async throws {
        var parts = makeParts()
        let channels = [Topics.tasks.channel, Topics.lists.channel, Topics.segments.channel(.bulk)]
        while let entry = bus.next(channels) {
            do {
                try await handle(entry, parts: parts)
                bus.acknowledge(entry)
                try afterEach()
            } catch {
                guard lifeline.isDead else { throw error }
                lifeline.begin()
                try await afterDeath()
                parts = makeParts()
            }
        }
    }

    private func handle(_ entry: RecordedBus.Entry, parts: ResolverParts) async throws {
        let message = entry.message
        let origin = IncomingMessage(
            partition: PartitionID(channel: message.channel.name, number: 0), offset: Int64(entry.number),
            key: message.key, value: message.value, headers: message.headers, timestamp: time.now)
        let producer = bus.producer(lifeline)
        let context = HandlerContext(
            time: time, random: SystemRandomSource(), producer: producer,
            log: Log(service: "test", level: .error, sink: CollectingSink()),
            attempt: 1)
        let outputs: [OutgoingMessage]
        if message.channel == Topics.tasks.channel {
            let received = ReceivedMessage(message: try TaskMessage(decoding: message.value), origin: origin)
            outputs = try await parts.tasks.handle([received], context: context)
        } else if message.channel == Topics.lists.channel {
            let received = ReceivedMessage(message: try TaskPartHead(decoding: message.value), origin: origin)
            outputs = try await parts.lists.handle([received], context: context)
        } else {
            let received = ReceivedMessage(message: try SegmentJob(decoding: message.value), origin: origin)
            outputs = try await parts.jobs.handle([received], context: context)
        }
        if !outputs.isEmpty { try await producer.send(outputs) }
    }

    /// Sends the parked jobs that are due, as the scheduler does; returns their number.
    func releaseParkedJobs() throws -> Int {
        var count = 0
        for shard in RetryShard.all {
            let lease = retries.lease(upTo: 64, for: .seconds(60), in: shard)
            for entry in lease.entries {
                let job = try ParkedJob(decoding: entry.order).job
                bus.append([Topics.segments.message(job, key: job.key, lane: .bulk)])
                count += 1
            }
            retries.complete(lease.entries, in: shard)
        }
        return count
    }

    /// Does what the worker does with an undecodable message of `tasks`.
    func giveUp(key: [UInt8]?, reason: String) async throws {
        let message = IncomingMessage(
            partition: PartitionID(channel: Topics.tasks.channel.name, number: 0), offset: 0, key: key, value: [0],
            headers: [], timestamp: time.now)
        let letter = DeadLetter(message, group: "g", reason: .undecodable, detail: reason, attempts: 1)
        try await makeParts().tasks.giveUp(letter)
    }

    private func makeParts() -> ResolverParts {
        let environment = TestEnvironment(time: time, random: SystemRandomSource(), metrics: metrics).forWorkers
        let stores = ResolverStores(
            registry: registry, ledger: ledger, archive: archive, agenda: agenda, outages: outages, retries: retries,
            pacing: pacing)
        return ResolverParts(
            tasks: stores, jobs: stores, judges: judges, events: bus.producer(lifeline),
            window: ResolverFixture.window, environment: environment)
    }

    /// The jobs of the task that are on the bus.
    func waitingJobs(of task: PushTask) throws -> [SegmentJob] {
        try bus.waiting(Topics.segments.channel(.bulk)).map { try SegmentJob(decoding: $0.value) }
            .filter { $0.task == task.id }
    }

    func chunks(_ lane: Lane, of task: PushTask) throws -> [AudienceChunk] {
        try bus.messages(Topics.audience.channel(lane)).map { try AudienceChunk(decoding: $0.value) }
            .filter { $0.task == task.id }
    }

    /// The orders that release devices, in the order in which they were sent.
    func orders(of task: PushTask) throws -> [RetryOrder] {
        try Lane.allCases.flatMap { bus.messages(Topics.retries.channel($0)) }
            .map { try RetryOrder(decoding: $0.value) }.filter { $0.task == task.id }
    }

    /// Returns every sent device, as often as it was sent.
    func sent(_ task: PushTask) throws -> [DeviceIndex] {
        try Lane.allCases.flatMap { try chunks($0, of: task) }.flatMap { chunk in
            chunk.segments.flatMap { part in
                part.offsets.map { DeviceIndex(segment: part.segment, offset: $0) }
            }
        }.sorted()
    }

    func silent(_ task: PushTask) throws -> Set<DeviceIndex> {
        var silent: Set<DeviceIndex> = []
        for part in try Lane.allCases.flatMap({ try chunks($0, of: task) }).flatMap(\.segments) {
            for (offset, isSilent) in zip(part.offsets, part.isSilent) where isSilent {
                silent.insert(DeviceIndex(segment: part.segment, offset: offset))
            }
        }
        return silent
    }

    func states(_ task: PushTask) async throws -> [DeviceIndex: DeliveryState] {
        var states: [DeviceIndex: DeliveryState] = [:]
        for segment in try await ledger.openSegments(of: task.id) {
            for (offset, state) in try await ledger.states(of: task.id, in: segment)?.states ?? [:] {
                states[DeviceIndex(segment: segment.number, offset: offset)] = state
            }
        }
        return states
    }

    func marked(_ task: PushTask) async throws -> [DeviceIndex] { try await states(task).keys.sorted() }

    func isResolved(_ task: PushTask) async throws -> Bool {
        let progress = try #require(try await ledger.progress(of: task.id))
        return progress.jobsResolved == progress.plan.jobs
    }
}
