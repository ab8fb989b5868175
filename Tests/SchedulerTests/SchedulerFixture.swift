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

/// Schedulers with a bus and stores in memory, and a manual clock.
final class SchedulerFixture: Sendable {
    static let lease = Duration.seconds(60)

    let time = ManualTimeSource()
    let bus: MemoryBus
    let index: WatchedIndex
    let ledger: MemoryLedger
    let registry: GatedRegistry
    let outages: MemoryProviderOutages
    let judges = ScriptedJudges()
    /// Judges in place of the scripted ones.
    private let ownJudges: (any DeviceJudges)?
    let archive = MemoryTaskArchive()
    let pacing: MemoryPushPacing
    let app: AppID
    let task = TaskID(high: 7, low: 9)

    /// A small `bytesMaximum` makes `audience` reach its limit.
    init(bytesMaximum: Int = 64 << 20, judges: (any DeviceJudges)? = nil) throws {
        ownJudges = judges
        bus = MemoryBus(bytesMaximum: bytesMaximum, time: time, random: SeededRandomSource(seed: 1))
        index = WatchedIndex(MemoryRetryIndex(time: time))
        ledger = MemoryLedger(time: time)
        outages = MemoryProviderOutages(time: time)
        pacing = MemoryPushPacing(time: time)
        registry = GatedRegistry(MemoryRegistry(time: time, random: SeededRandomSource(seed: 2)))
        app = try AppID("news")
    }

    /// Runs the services of one scheduler, with their own `WorkerEnvironment`, during the body.
    func withScheduler(_ body: () async throws -> Void) async throws {
        let environment = TestEnvironment(time: time, random: SystemRandomSource()).forWorkers
        let producer = try await bus.makeProducer(ProducerOptions(patience: SchedulerFixture.lease / 2))
        let parts = RetryParts(
            index: index, registry: registry, isRegistryReady: { [registry] in !registry.isShut }, ledger: ledger,
            outages: outages, judges: ownJudges ?? judges, pacing: pacing, archive: archive, producer: producer,
            lease: SchedulerFixture.lease,
            environment: environment)
        var services: [any Service] = parts.releasers
        for lane in Lane.allCases {
            let channel = Topics.retries.channel(lane)
            services.append(
                Worker(
                    channel: channel, group: "scheduler", handler: parts.intake(lane), options: WorkerOptions(),
                    consumer: try await bus.makeConsumer(ConsumerOptions(channel: channel, group: "scheduler")),
                    producer: try await bus.makeProducer(ProducerOptions()), environment: environment))
        }
        try await withRunning(services, body: body)
    }

    /// Registers `count` devices, plans a task and marks them; returns their ids in the order of registration.
    func begin(
        _ count: Int, rules adjust: (inout DeliveryRules) -> Void = { _ in }
    ) async throws -> [DeviceID] {
        let ids = try await registry.store.registerSamples(0..<count, in: app)
        var accepted = PushTask(id: task, app: app, created: time.now)
        adjust(&accepted.rules)
        archive.keep(TaskMessage.task(accepted).encoded(), of: task, entry: accepted.entry)
        _ = try ledger.plan(task, as: Samples.plan(app, until: time.now + .seconds(86_400)))
        for (segment, ids) in Dictionary(grouping: ids, by: \.index.segment) {
            _ = ledger.mark(SegmentSet(ids.map(\.index.offset)), of: task, in: SegmentID(app, number: segment))
        }
        return ids
    }

    /// Sends orders as a sender does: one for each segment.
    func order(
        _ ids: [DeviceID], after pause: Duration, lane: Lane = .bulk, attempt: UInt8 = 1,
        timing: DeviceTiming = .ofTask
    ) async throws {
        let due = time.now + pause
        let orders = Dictionary(grouping: ids, by: \.index.segment).map { segment, ids in
            RetryOrder(
                task: task, segment: SegmentID(app, number: segment), provider: .apns, attempt: attempt,
                due: due.milliseconds, timing: timing,
                devices: ids.map { RetryOrder.Device(offset: $0.index.offset, tag: $0.tag, isSilent: false) })
        }
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(orders.map { Topics.retries.message($0, key: nil, lane: lane) })
    }

    /// Defers the devices, as a resolver does once their order is on the bus.
    func `defer`(_ ids: [DeviceID], until due: Timestamp, cause: DeferralCause = .quietHours) {
        for (segment, ids) in Dictionary(grouping: ids, by: \.index.segment) {
            let group = Deferral(offsets: ids.map(\.index.offset), cause: cause, due: due)
            _ = ledger.defer([group], of: task, in: SegmentID(app, number: segment))
        }
    }

    func chunks(_ lane: Lane = .bulk) async throws -> [AudienceChunk] {
        var chunks: [AudienceChunk] = []
        try await bus.scan(Topics.audience.channel(lane)) { message in
            chunks.append(try AudienceChunk(decoding: message.value))
            return true
        }
        return chunks
    }

    /// The counts of deferred devices by cause.
    func deferrals() -> [DeferralCause: DeferralSummary.Part] {
        ledger.deferrals(of: task, in: ledger.openSegments(of: task)).parts
    }

    /// Settles the devices as waiting, as a sender does once its order is on the bus.
    func wait(_ ids: [DeviceID]) {
        for (segment, ids) in Dictionary(grouping: ids, by: \.index.segment) {
            let claim = ClaimID(owner: 1, number: UInt64(segment.rawValue))
            let (offsets, place) = (ids.map(\.index.offset), SegmentID(app, number: segment))
            let request = ClaimRequest(
                id: claim, offsets: offsets, attempt: 0, lease: .seconds(90), countsBadge: false)
            _ = ledger.claim(request, of: task, in: place)
            let group = Settlement.Group(offsets: offsets, state: .waiting, attempt: 1)
            _ = ledger.settle(Settlement(claim: claim, groups: [group]), of: task, in: place)
        }
    }

    /// Waits until all releasers sleep, one of them until this moment.
    func sleeps(until moment: Timestamp) async -> Bool {
        guard await index.hasLooked(at: { $0.next == moment }) else { return false }
        return await isAtRest()
    }

    /// Waits until all releasers of all schedulers sleep.
    func isAtRest(schedulers: Int = 1) async -> Bool {
        await time.hasSleepers(schedulers * RetryShard.retries.count)
    }

    /// Returns all devices released on a lane that has no reader.
    func released(_ lane: Lane = .bulk) async throws -> [DeviceIndex] {
        var indices: [DeviceIndex] = []
        try await bus.scan(Topics.audience.channel(lane)) { message in
            indices += try AudienceChunk(decoding: message.value).indices
            return true
        }
        return indices
    }

    func results() async throws -> String {
        var text = ""
        try await bus.scan(Topics.results.channel) { message in
            text += String(decoding: message.value, as: UTF8.self)
            return true
        }
        return text
    }

    func states() -> [DeliveryState: Int] {
        var counts: [DeliveryState: Int] = [:]
        for segment in ledger.openSegments(of: task) {
            for state in ledger.states(of: task, in: segment)?.states.values.map({ $0 }) ?? [] {
                counts[state, default: 0] += 1
            }
        }
        return counts
    }
}

extension AudienceChunk {
    var indices: [DeviceIndex] {
        segments.flatMap { part in part.offsets.map { DeviceIndex(segment: part.segment, offset: $0) } }
    }
}
