import Bus
import PushModel
import RedisClient
import RedisStore
import ServiceHarness
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// A device of a task, as released by the scheduler.
struct ReleasedDevice: Hashable, Sendable {
    let task: TaskID
    let index: DeviceIndex
}

/// A registry, a ledger and an index, for the real scheduler.
final class SchedulerHarness: Sendable {
    private static let attempt: UInt8 = 1

    private let base: ServiceHarness
    private let registry: RedisRegistry

    init() async throws {
        base = try await ServiceHarness()
        registry = try await base.openRegistry()
    }

    var app: AppID { base.app }

    /// Starts a scheduler with so little room on `audience` that thousands of releases need a reader to finish. Its
    /// lease outlasts the reader's delays on a loaded machine: if it passed during the wait for room, the scheduler
    /// would release the same devices again.
    func startScheduler() async throws -> ChildProcess {
        try await base.start(
            "scheduler", settings: ["CARILLON_SCHEDULER_LEASE": "10s", "CARILLON_BUS_CHANNEL_BYTES": "1MiB"])
    }

    /// Registers devices with records of the maximum size.
    func register(_ count: Int) async throws -> [DeviceID] {
        let text = String(repeating: "x", count: RegistryBounds.textBytesMaximum)
        let changes = DeviceChanges(language: text, version: text, category: text, timeZone: text)
        return try await withThrowingTaskGroup(of: [DeviceID].self) { tasks in
            for numbers in (0..<count).chunks(of: 50) {
                tasks.addTask { [registry, app = base.app] in
                    try await registry.registerSamples(numbers, changes: changes, in: app)
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
    }

    /// Creates tasks in which every device waits for its next attempt.
    func begin(tasks count: Int, with devices: [DeviceID]) async throws -> [TaskID] {
        let tasks = (0..<count).map { TaskID(high: 1, low: UInt64($0)) }
        let deadline = SystemTimeSource().now + .seconds(3_600)
        for task in tasks {
            _ = try await base.ledger.plan(task, as: Samples.plan(app, until: deadline))
            for (segment, ids) in Dictionary(grouping: devices, by: \.index.segment) {
                let (offsets, place) = (ids.map(\.index.offset), SegmentID(app, number: segment))
                _ = try await base.ledger.mark(SegmentSet(offsets), of: task, in: place)
                let claim = ClaimID(owner: 1, number: 1)
                for part in SchedulerHarness.claimParts(offsets) {
                    let request = ClaimRequest(
                        id: claim, offsets: part, attempt: 0, lease: .seconds(90), countsBadge: false)
                    _ = try await base.ledger.claim(request, of: task, in: place)
                    let group = Settlement.Group(offsets: part, state: .waiting, attempt: SchedulerHarness.attempt)
                    _ = try await base.ledger.settle(Settlement(claim: claim, groups: [group]), of: task, in: place)
                }
            }
        }
        return tasks
    }

    /// Sends an order for each device of each task, all due soon.
    func order(_ tasks: [TaskID], devices: [DeviceID]) async throws {
        let due = SystemTimeSource().now + .seconds(3)
        for task in tasks {
            try await base.send(
                devices.map { id in
                    let order = RetryOrder(
                        task: task, segment: SegmentID(app, number: id.index.segment), provider: .apns,
                        attempt: SchedulerHarness.attempt, due: due.milliseconds,
                        devices: [RetryOrder.Device(offset: id.index.offset, tag: id.tag, isSilent: false)])
                    return Topics.retries.message(order, key: Topics.key(task, segment: id.index.segment), lane: .bulk)
                })
        }
    }

    func readAudience() async throws -> any BusConsumer {
        try await base.bus.makeConsumer(ConsumerOptions(channel: Topics.audience.channel(.bulk), group: "renderer"))
    }

    /// Returns the unread messages on `audience`.
    func unread() async throws -> [IncomingMessage] {
        try await base.scan(Topics.audience.channel(.bulk))
    }

    /// Returns the orders that a newly started scheduler receives again.
    func unacknowledged() async throws -> Set<ReleasedDevice> {
        Set(try await base.scan(Topics.retries.channel(.bulk)).flatMap { try RetryOrder(decoding: $0.value).released })
    }

    /// Returns the devices leased by schedulers, whether running or dead.
    func leased() async throws -> Set<ReleasedDevice> {
        var devices: Set<ReleasedDevice> = []
        for number in 0..<RetryShard.count {
            let reply = try await base.redis.send(
                RedisCommand("ZRANGE", RedisArgument("leases:{retries:bulk:\(number)}"), 0, -1))
            for member in reply.array ?? [] {
                let order = try RetryOrder(decoding: Array(try #require(member.bytes).dropFirst(6)))
                devices.formUnion(order.released)
            }
        }
        return devices
    }

    func depth() async throws -> Int {
        let index = RedisRetryIndex(StoreConnection(base.redis))
        var depth = 0
        for shard in RetryShard.all { depth += try await index.outlook(of: shard).depth }
        return depth
    }

    /// Returns the number of devices that senders could claim if each message had its own sender.
    func claims(of chunks: [AudienceChunk]) async throws -> Int {
        var claimed = 0
        for (number, chunk) in chunks.enumerated() {
            for part in chunk.segments {
                claimed += try await base.claims(
                    part.offsets, attempt: chunk.attempt, of: chunk.task, in: SegmentID(app, number: part.segment),
                    message: number)
            }
        }
        return claimed
    }

    private static func claimParts(_ offsets: [UInt16]) -> [[UInt16]] {
        offsets.chunks(of: ClaimRequest.devicesMaximum).map(Array.init)
    }
}

extension RetryOrder {
    fileprivate var released: [ReleasedDevice] {
        offsets.map { ReleasedDevice(task: task, index: DeviceIndex(segment: segment.number, offset: $0)) }
    }
}

/// The messages of `audience`, however they were read, without duplicates.
struct AudienceLog {
    private struct Place: Hashable {
        let partition: Int32
        let offset: Int64
    }

    private var seen: Set<Place> = []
    private(set) var chunks: [AudienceChunk] = []

    var devices: [ReleasedDevice] {
        chunks.flatMap { chunk in chunk.indices.map { ReleasedDevice(task: chunk.task, index: $0) } }
    }

    mutating func add(_ messages: [IncomingMessage]) throws {
        for message in messages {
            let place = Place(partition: message.partition.number, offset: message.offset)
            guard seen.insert(place).inserted else { continue }
            chunks.append(try AudienceChunk(decoding: message.value))
        }
    }

    /// Reads one more delivery.
    mutating func read(_ consumer: any BusConsumer) async throws {
        let delivery = try #require(await consumer.next())
        try add(delivery.messages)
        consumer.complete(delivery)
    }
}
