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

/// A registry and a ledger, and real resolvers beside them.
final class ResolverHarness: Sendable {
    private let base: ServiceHarness
    private let registry: RedisRegistry

    init() async throws {
        base = try await ServiceHarness()
        registry = try await base.openRegistry()
    }

    var app: AppID { base.app }
    var ledger: RedisLedger { base.ledger }

    /// With so little room on `audience` that a broadcast cannot be over before somebody reads.
    func startResolver() async throws -> ChildProcess {
        try await base.start("targeting-resolver", settings: ["CARILLON_BUS_CHANNEL_BYTES": "1MiB"])
    }

    /// Devices with records as large as texts can make them, so many in each of so many segments.
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

    /// Everybody whom the ledger knows of.
    func marked(_ task: TaskID) async throws -> Set<DeviceIndex> {
        var marked: Set<DeviceIndex> = []
        for segment in try await ledger.openSegments(of: task) {
            let states = try #require(try await ledger.states(of: task, in: segment)).states
            marked.formUnion(states.keys.map { DeviceIndex(segment: segment.number, offset: $0) })
        }
        return marked
    }

    /// How many devices senders would get to send, were each chunk handled by one of its own.
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

    /// Whom jobs meant that nobody has resolved.
    func undropped() async throws -> Int {
        try await base.redis.send(RedisCommand("KEYS", "meant:*")).array?.count ?? 0
    }
}

/// Every chunk that was read, in its order.
struct AudienceLog {
    private(set) var chunks: [AudienceChunk] = []
    private(set) var devices: Set<DeviceIndex> = []
    private(set) var deviceCount = 0

    /// Reads one delivery more.
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
