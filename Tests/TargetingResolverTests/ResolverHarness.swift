import Bus
import PushModel
import RedisClient
import RedisStore
import ServiceHarness
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

/// A registry and a ledger, for real resolvers.
final class ResolverHarness: Sendable {
    private let base: ServiceHarness
    private let registry: RedisRegistry

    init() async throws {
        base = try await ServiceHarness()
        registry = try await base.openRegistry()
    }

    var app: AppID { base.app }
    var ledger: RedisLedger { base.ledger }

    /// Starts a resolver with so little room on `audience` that a broadcast needs a reader to finish.
    func startResolver() async throws -> ChildProcess {
        try await base.start("targeting-resolver", settings: ["CARILLON_BUS_CHANNEL_BYTES": "1MiB"])
    }

    /// Registers devices with records of the maximum size in each segment.
    func fill(segments: Int, devices: Int) async throws -> Set<DeviceIndex> {
        let text = String(repeating: "x", count: RegistryBounds.textBytesMaximum)
        return try await withThrowingTaskGroup(of: [DeviceIndex].self) { tasks in
            for segment in 0..<segments {
                tasks.addTask { [registry, app = base.app] in
                    let changes = try (0..<devices).map { number in
                        let index = DeviceIndex(
                            segment: SegmentNumber(rawValue: UInt32(segment)), offset: UInt16(number))
                        let digits = String(index.rawValue, radix: 16)
                        let token = try PushToken(
                            .apns, text: String(repeating: "0", count: 64 - digits.count) + digits)
                        var device = Device(tag: UInt32(number), token: token, created: 1)
                        (device.language, device.version, device.category, device.timeZone) = (text, text, text, text)
                        return LoggedChange(
                            offset: Int64(number), RegistryChange(app: app, index: index, .device(device)))
                    }
                    try await registry.apply(changes)
                    return changes.map(\.change.index)
                }
            }
            return try await tasks.reduce(into: []) { $0.formUnion($1) }
        }
    }

    func post(_ id: TaskID) async throws {
        var task = PushTask(id: id, app: app, created: SystemTimeSource().now)
        task.target.audience = .everyone
        task.content.message = PushMessage()
        task.content.platforms = [.ios]
        try await base.send([Topics.tasks.message(.task(task), key: Array(id.key.utf8))])
    }

    func readAudience() async throws -> any BusConsumer {
        try await base.bus.makeConsumer(ConsumerOptions(channel: Topics.audience.channel(.bulk), group: "renderer"))
    }

    /// Returns every device of the task in the ledger.
    func marked(_ task: TaskID) async throws -> Set<DeviceIndex> {
        var marked: Set<DeviceIndex> = []
        for segment in try await ledger.openSegments(of: task) {
            let states = try #require(try await ledger.states(of: task, in: segment)).states
            marked.formUnion(states.keys.map { DeviceIndex(segment: segment.number, offset: $0) })
        }
        return marked
    }

    /// Returns the number of devices that senders could claim if each chunk had its own sender.
    func claims(of chunks: [AudienceChunk]) async throws -> Int {
        var claimed = 0
        for (number, chunk) in chunks.enumerated() {
            for part in chunk.segments {
                claimed += try await base.claims(
                    Array(part.offsets), attempt: 0, of: chunk.task, in: SegmentID(app, number: part.segment),
                    message: number)
            }
        }
        return claimed
    }

    /// Returns the number of stored device lists of unfinished jobs.
    func undropped() async throws -> Int {
        try await base.redis.send(RedisCommand("KEYS", "meant:*")).array?.count ?? 0
    }
}

/// The chunks in the order in which they were read.
struct AudienceLog {
    private(set) var chunks: [AudienceChunk] = []
    private(set) var devices: Set<DeviceIndex> = []
    private(set) var deviceCount = 0

    /// Reads one more delivery.
    mutating func read(_ consumer: any BusConsumer) async throws {
        let delivery = try #require(await consumer.next())
        for message in delivery.messages {
            let chunk = try AudienceChunk(decoding: message.value)
            chunks.append(chunk)
            deviceCount += chunk.deviceCount
            for part in chunk.segments {
                devices.formUnion(part.offsets.map { DeviceIndex(segment: part.segment, offset: $0) })
            }
        }
        consumer.complete(delivery)
    }
}
