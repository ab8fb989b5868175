import Bus
import PushModel
import RedisStore
import ServiceHarness
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

/// A ledger and an archive, for the real renderer.
final class RendererHarness: Sendable {
    let task = TaskID(high: 5, low: 6)
    private let segment = SegmentNumber(rawValue: 2)
    private let base: ServiceHarness

    init() async throws {
        base = try await ServiceHarness()
    }

    var app: AppID { base.app }

    /// Starts a renderer with so little room on the dispatch topics that it needs a reader to finish.
    func startRenderer() async throws -> ChildProcess {
        try await base.start("renderer", settings: ["CARILLON_BUS_CHANNEL_BYTES": "1MiB"])
    }

    /// Creates a task whose devices are marked and on `audience`.
    func begin(chunks: Int, devicesEach: Int) async throws {
        try await keepTask()
        try await mark(count: chunks * devicesEach)
        try await send(chunks: chunks, devicesEach: devicesEach)
    }

    func keepTask() async throws {
        var pushTask = PushTask(id: task, app: app, created: SystemTimeSource().now)
        var message = PushMessage()
        message.body = LocalizedText("Fire")
        pushTask.content.message = message
        pushTask.content.platforms = [.android, .web]
        let entry = TaskEntry(app: app, begins: pushTask.created, deadline: pushTask.deadline)
        try await base.archive.keep(TaskMessage.task(pushTask).encoded(), of: task, entry: entry)
    }

    func mark(count: Int) async throws {
        let deadline = SystemTimeSource().now + .seconds(3_600)
        _ = try await base.ledger.plan(task, as: Samples.plan(app, until: deadline))
        _ = try await base.ledger.mark(
            SegmentSet((0..<count).map(UInt16.init)), of: task, in: SegmentID(app, number: segment))
    }

    func send(chunks: Int, devicesEach: Int) async throws {
        try await base.send(
            (0..<chunks).map { number in
                var part = AudienceDevices(segment: segment)
                for place in number * devicesEach..<(number + 1) * devicesEach {
                    part.append(offset: UInt16(place), record: try device(place).packed, isSilent: false)
                }
                let chunk = AudienceChunk(task: task, app: app, lane: .bulk, attempt: 0, segments: [part])
                // A key for each chunk spreads them over all partitions.
                return Topics.audience.message(chunk, key: Array("\(number)".utf8), lane: .bulk)
            })
    }

    func send(_ devices: [Device], attempt: UInt8) async throws {
        var part = AudienceDevices(segment: segment)
        for (place, device) in devices.enumerated() {
            part.append(offset: UInt16(place), record: device.packed, isSilent: false)
        }
        let chunk = AudienceChunk(task: task, app: app, lane: .bulk, attempt: attempt, segments: [part])
        try await base.send([Topics.audience.message(chunk, key: [], lane: .bulk)])
    }

    func readDispatches(_ topic: Topic<DispatchChunk> = Topics.dispatchAndroid) async throws -> any BusConsumer {
        try await base.bus.makeConsumer(ConsumerOptions(channel: topic.channel(.bulk), group: "a-sender"))
    }

    /// Waits for the first retry orders.
    func readOrders() async throws -> [RetryOrder] {
        let consumer = try await base.bus.makeConsumer(
            ConsumerOptions(channel: Topics.retries.channel(.bulk), group: "scheduler"))
        let delivery = try #require(await consumer.next())
        await consumer.close()
        return try delivery.messages.map { try RetryOrder(decoding: $0.value) }
    }

    /// Returns the chunks of one more delivery.
    func read(_ consumer: any BusConsumer) async throws -> [DispatchChunk] {
        let delivery = try #require(await consumer.next())
        let chunks = try delivery.messages.map { try DispatchChunk(decoding: $0.value) }
        consumer.complete(delivery)
        return chunks
    }

    /// Returns the number of devices that senders could claim if each chunk had its own sender.
    func claims(of chunks: [DispatchChunk]) async throws -> Int {
        var claimed = 0
        for (number, chunk) in chunks.enumerated() {
            for part in chunk.segments {
                claimed += try await base.claims(
                    part.offsets, attempt: chunk.attempt, of: task, in: SegmentID(app, number: part.segment),
                    message: number)
            }
        }
        return claimed
    }

    /// Returns the unread chunks on the dispatch topics.
    func unread() async throws -> [DispatchChunk] {
        try await base.scan(Topics.dispatchAndroid.channel(.bulk)).map { try DispatchChunk(decoding: $0.value) }
    }

    /// Returns a device with a token so long that its chunk is large.
    private func device(_ number: Int) throws -> Device {
        let digits = String(number)
        let token = try PushToken(.fcm, text: String(repeating: "0", count: 2_000 - digits.count) + digits)
        return Device(tag: UInt32(number), token: token, created: 1_700_000_000)
    }
}
