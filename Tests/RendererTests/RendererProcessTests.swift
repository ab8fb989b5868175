import Bus
import JSONKit
import PushModel
import RedisStore
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

/// The real program with a real Redis.
@Suite(.timeLimit(.minutes(5))) struct RendererProcessTests {
    /// Goal: a crash in the middle of a broadcast loses no device and lets no device be sent twice. Method: the chunks
    /// of many devices are on the bus; a renderer is killed while it processes them, and another one takes over; every
    /// device is then claimed as by senders.
    @Test func aCrashLosesNoDevice() async throws {
        let harness = try await RendererHarness()
        let chunks = 120
        try await harness.begin(chunks: chunks, devicesEach: 20)
        let consumer = try await harness.readDispatches()
        let first = try await harness.startRenderer()
        var seen: [DispatchChunk] = []
        while seen.isEmpty { seen += try await harness.read(consumer) }
        first.signal(9)
        #expect(await first.end() == .signalled(9))
        let before = Set((seen + (try await harness.unread())).flatMap(\.indices))
        #expect(before.count < chunks * 20, "the broadcast ended before the crash")

        let second = try await harness.startRenderer()
        var devices = Set(seen.flatMap(\.indices))
        while devices.count < chunks * 20 {
            let more = try await harness.read(consumer)
            devices.formUnion(more.flatMap(\.indices))
            seen += more
        }
        second.signal(15)
        #expect(await second.end() == .exited(0))
        await consumer.close()
        #expect(try await harness.claims(of: seen) == chunks * 20)
        let bodies = try Set(
            seen.flatMap(\.variants).map { variant in
                try JSON(variant.payload.payload(token: "", badge: 0))["message"]?["notification"]?["body"]?.text
            })
        #expect(bodies == ["Fire"])
        #expect(seen.allSatisfy { $0.lane == .bulk && $0.app == harness.app })
    }

    /// Goal: devices of a task without content go to the scheduler and are not lost. Method: the test sends them again,
    /// as the scheduler does, once the content exists.
    @Test func devicesOfAnAbsentContentComeAgain() async throws {
        let harness = try await RendererHarness()
        let consumer = try await harness.readDispatches()
        let process = try await harness.startRenderer()
        try await harness.mark(count: 3)
        try await harness.send(chunks: 1, devicesEach: 3)
        let orders = try await harness.readOrders()
        #expect(orders.map(\.offsets) == [[0, 1, 2]])
        #expect(process.lines.contains { $0.contains("task content missing from the store") })
        try await harness.keepTask()
        try await harness.send(chunks: 1, devicesEach: 3)
        var seen: [DispatchChunk] = []
        while seen.isEmpty { seen += try await harness.read(consumer) }
        #expect(seen.map(\.deviceCount) == [3])
        process.signal(15)
        #expect(await process.end() == .exited(0))
        await consumer.close()
    }

    /// Goal: browsers get their pushes on web-sender's topic, with the keys to encrypt them for, at every attempt.
    @Test(arguments: [UInt8(0), 2]) func browsersKeysReachTheirSender(attempt: UInt8) async throws {
        let harness = try await RendererHarness()
        let consumer = try await harness.readDispatches(Topics.dispatchWeb)
        let process = try await harness.startRenderer()
        try await harness.keepTask()
        try await harness.mark(count: 2)
        let devices = try (0..<2).map { number in
            let token = try PushToken(.webpush, text: "https://push.example/\(number)")
            var device = Device(tag: UInt32(number), token: token, created: 1_700_000_000)
            device.webPushKeys = WebPushKeys(
                publicKey: [4] + Array(repeating: UInt8(number), count: 64), secret: Array(repeating: 9, count: 16))
            return device
        }
        try await harness.send(devices, attempt: attempt)
        let chunks = try await harness.read(consumer)
        let part = try #require(chunks.first?.segments.first)
        #expect(chunks.count == 1 && chunks[0].attempt == attempt)
        #expect(part.tokens == devices.map(\.token.text))
        #expect([0, 1].map { part.webPushKeys(at: $0) } == devices.map(\.webPushKeys))
        let payload = try JSON(chunks[0].variants[0].payload.payload(token: "", badge: 0))
        #expect(payload["notification"]?["title"] == .string("Fire"))
        process.signal(15)
        #expect(await process.end() == .exited(0))
        await consumer.close()
    }
}

extension DispatchChunk {
    fileprivate var indices: [DeviceIndex] {
        segments.flatMap { part in part.offsets.map { DeviceIndex(segment: part.segment, offset: $0) } }
    }
}
