import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

/// Goal: the outbox of an app has each state of its messages once and in order, whatever is delivered again.
@Suite(.timeLimit(.minutes(5))) struct StateRecorderTests {
    private typealias Entry = StateFixture.Entry

    private let fixture: StateFixture
    private let endpoint: Endpoint

    init() throws {
        fixture = try StateFixture()
        endpoint = try Endpoint([])
        fixture.setWebhook(endpoint)
    }

    private func acceptance(_ task: PushTask) -> MessageAcceptance {
        MessageAcceptance(task: task.id, app: task.app)
    }

    private func receipts(_ device: DeviceID, kind: ReceiptKind, of task: PushTask) -> ReceiptBatch {
        let now = fixture.base.time.now
        return ReceiptBatch(
            task: task.id, app: task.app, day: ReceiptProof.day(of: now), time: now,
            receipts: [DeviceReceipt(device: device, on: .ios, kind: kind, action: "", time: now)])
    }

    private func registeredToken(of device: DeviceID) throws -> String {
        try #require(try fixture.base.registry.device(device, in: fixture.base.app)).device.token.text
    }

    @Test func aMessageIsToldInTheWordsOfItsPublisher() async throws {
        let device = try await fixture.base.register(1)[0]
        let content = JSONObject([("title", .string("Hi é")), ("badge", .integer(1))])
        let task = try fixture.begin(
            1, devices: [device], method: .contextAware,
            reported: JSONObject([("idempotency_key", .string("k-1")), ("content", .object(content))]))
        fixture.base.time.advance(by: .seconds(10))
        let recorder = fixture.recorder()
        try await recorder.note([acceptance(task)])
        try await recorder.note([fixture.base.batch([device], task: task.id, state: .cancelled)])
        let batch = try #require(fixture.base.outbox.batch(of: fixture.queue(of: task), proposing: "a"))
        let common = #""user_id":"user-1","campaign_id":"spring","idempotency_key":"k-1","#
        let echoed = #""content":{"title":"Hi é","badge":1}}"#
        let expected = """
            [{\(common)"delivery_status":"pending","delivery_method":"context_aware",\
            "planned_delivery_method":"context_aware","timestamp":"\(task.created)",\(echoed),\
            {"device_token":"\(try registeredToken(of: device))",\(common)"delivery_status":"cancelled",\
            "delivery_method":"cancelled","planned_delivery_method":"context_aware",\
            "timestamp":"\(fixture.base.time.now)",\(echoed)]
            """
        #expect(String(decoding: batch.body, as: UTF8.self) == expected)
    }

    @Test func aNativeTaskIsToldUnderItsID() async throws {
        let task = try fixture.begin(1, devices: [])
        try await fixture.recorder().note([acceptance(task)])
        let batch = try #require(fixture.base.outbox.batch(of: fixture.queue(of: task), proposing: "a"))
        let entry = try #require(try JSON(batch.body).elements?.first)
        #expect(entry["idempotency_key"]?.text == "\(task.id)" && entry["content"] == .null)
    }

    /// Every topic may be behind, and every message may come again.
    @Test func statesAreInOrderWhicheverComesFirst() async throws {
        let device = try await fixture.base.register(1)[0]
        let task = try fixture.begin(1, devices: [device])
        for _ in 0..<2 {
            let recorder = fixture.recorder()
            try await recorder.note([receipts(device, kind: .opened, of: task)])
            try await recorder.note([fixture.base.batch([device], task: task.id, state: .delivered)])
            try await recorder.note([receipts(device, kind: .delivered, of: task)])
            try await recorder.note([receipts(device, kind: .dismissed, of: task)])
            try await recorder.note([acceptance(task)])
        }
        let token = try registeredToken(of: device)
        #expect(
            try fixture.waiting(fixture.queue(of: task)) == [
                Entry(key: "\(task.id)", status: "pending", token: nil),
                Entry(key: "\(task.id)", status: "delivered", token: token),
                Entry(key: "\(task.id)", status: "opened", token: token),
            ])
        #expect(fixture.states("queued") == 3)
    }

    @Test(arguments: [
        (DeliveryState.delivered, "delivered"), (.failed, "failed"), (.invalid, "failed"), (.invalidRemoved, "failed"),
        (.expired, "failed"), (.suppressed, "failed"), (.unknown, "failed"), (.cancelled, "cancelled"),
    ])
    func outcomesAreTold(state: DeliveryState, status: String) async throws {
        let devices = try await fixture.base.register(2)
        let task = try fixture.begin(1, devices: devices)
        #expect(try await fixture.base.registry.remove(devices[1], in: task.app))
        try await fixture.recorder().note([fixture.base.batch(devices, task: task.id, state: state)])
        let token = try registeredToken(of: devices[0])
        #expect(
            try fixture.waiting(fixture.queue(of: task)).dropFirst() == [
                Entry(key: "\(task.id)", status: status, token: token),
                Entry(key: "\(task.id)", status: status, token: nil),
            ])
    }

    /// The archive forgets a task minutes after its end; a receipt comes hours later.
    @Test func aReceiptIsToldAfterTheTaskIsForgotten() async throws {
        let device = try await fixture.base.register(1)[0]
        let task = try fixture.begin(1, devices: [device])
        try await fixture.recorder().note([fixture.base.batch([device], task: task.id, state: .delivered)])
        try await fixture.base.archive.forget(task.id, after: .zero)
        try await fixture.recorder().note([receipts(device, kind: .opened, of: task)])
        #expect(try fixture.waiting(fixture.queue(of: task)).map(\.status) == ["pending", "delivered", "opened"])
        fixture.base.time.advance(by: task.deadline - fixture.base.time.now + OutboxBounds.retention)
        let other = try await fixture.base.register(1, from: 1)[0]
        try await fixture.recorder().note([receipts(other, kind: .opened, of: task)])
        #expect(fixture.states("queued") == 3)
    }

    @Test func otherTasksAndAppsAreNotTold() async throws {
        let device = try await fixture.base.register(1)[0]
        let plain = try fixture.base.begin(UInt64(OutboxShard.count), devices: [device], isFast: true)
        try await fixture.recorder().note([fixture.base.batch([device], task: plain.id, state: .delivered)])
        try await fixture.recorder().note([receipts(device, kind: .opened, of: plain)])
        fixture.setWebhook(nil)
        let task = try fixture.begin(2, devices: [device])
        try await fixture.recorder().note([acceptance(task)])
        try await fixture.recorder().note([fixture.base.batch([device], task: task.id, state: .delivered)])
        for task in [plain, task] {
            #expect(fixture.base.outbox.head(of: OutboxSubject(.message(task.id), of: task.app)) == nil)
        }
        #expect(fixture.states("queued") == 0)
    }

    /// A message without a device has no results: its end is told when its task is closed.
    @Test(arguments: [true, false]) func aMessageWithoutDevicesEnds(isCancelled: Bool) async throws {
        let task = try fixture.begin(1, devices: [])
        if isCancelled {
            _ = fixture.base.ledger.cancel(task.id, in: SegmentID(task.app, number: SegmentNumber(rawValue: 0)))
        }
        let closer = try await fixture.base.closer(hasWebhook: true)
        #expect(try await closer.check(CheckQueue.Check(task: task.id, isDue: true)) == .settled)
        #expect(
            try fixture.waiting(fixture.queue(of: task)) == [
                Entry(key: "\(task.id)", status: "pending", token: nil),
                Entry(key: "\(task.id)", status: isCancelled ? "cancelled" : "failed", token: nil),
            ])
    }

    /// The outbox is written before a message is acknowledged, so that the message comes again after any interruption.
    @Test func whatIsCutOffIsAppendedByARepeat() async throws {
        let device = try await fixture.base.register(1)[0]
        let task = try fixture.begin(1, devices: [device])
        let batch = fixture.base.batch([device], task: task.id, state: .delivered)
        for steps in 0...1 {
            fixture.base.scissors.cut(after: steps)
            await #expect(throws: StoreError.self) { try await fixture.recorder().note([batch]) }
        }
        fixture.base.scissors.cut(after: nil)
        try await fixture.recorder().note([batch])
        #expect(try fixture.waiting(fixture.queue(of: task)).map(\.status) == ["pending", "delivered"])
    }
}
