import Bus
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Devices that have got as many pushes as their cap allows, in a sender.
@Suite struct CapDispatchTests {
    private static let cap = PushCap(count: 1, period: .seconds(3_600))
    private let latest = ChunkCap(CapDispatchTests.cap, latest: (DispatchFixture.start + .seconds(7_200)).milliseconds)
    private let never = ChunkCap(CapDispatchTests.cap, latest: nil)
    private let gateway = ScriptedGateway { _ in .answered(.delivered) }

    /// Another task has sent to these devices.
    private func spend(_ offsets: [UInt16], fixture: DispatchFixture) async throws {
        let task = Samples.freshTask()
        _ = try await fixture.ledger.plan(
            task,
            as: TaskPlan(
                app: fixture.app, jobs: 1, isFast: false, deadline: DispatchFixture.start + .seconds(86_400),
                policy: .atLeastOnce))
        _ = try await fixture.ledger.mark(SegmentSet(offsets), of: task, in: fixture.segment)
        let request = ClaimRequest(
            id: ClaimID(owner: 98, number: 1), offsets: offsets, attempt: 0, lease: .seconds(20), countsBadge: false,
            cap: CapDispatchTests.cap)
        _ = try await fixture.ledger.claim(request, of: task, in: fixture.segment)
    }

    private func waiting(_ fixture: DispatchFixture) async throws -> DeferralSummary.Part? {
        try await fixture.ledger.deferrals(of: fixture.task, in: [fixture.segment]).parts[.cap]
    }

    /// Goal: a device over its cap waits, others of its chunk are sent to, and the release sends it. Method: one device
    /// of two has had its push; the order and the ledger's entry are those of the end of its period, in whole minutes.
    @Test func aDeviceOverItsCapWaits() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2], deadline: .seconds(86_400))
        fixture.time.advance(by: .milliseconds(500))
        try await spend([1], fixture: fixture)
        let handler = fixture.handler(gateway)
        _ = try await fixture.run(handler, chunk: fixture.chunk([1, 2], cap: latest))
        #expect(gateway.sent.count == 1 && gateway.permitsHeld == 0)
        let due = DispatchFixture.start + .seconds(3_660)
        let order = try #require(try fixture.producer.retries().first)
        #expect(order.offsets == [1] && order.attempt == 0 && order.due == due.milliseconds)
        #expect(order.timing == DeviceTiming(deferral: .cap, begins: due.milliseconds))
        #expect(try await waiting(fixture) == DeferralSummary.Part(devices: 1, next: due))
        let detail = try await fixture.ledger.detail(of: 1, task: fixture.task, in: fixture.segment)
        #expect(detail?.reason == "cap" && detail?.due == due)
        // The same chunk again changes nothing; the release sends it.
        _ = try await fixture.run(handler, chunk: fixture.chunk([1, 2], cap: latest))
        #expect(gateway.sent.count == 1)
        fixture.time.setWallClock(to: due)
        let release = try fixture.chunk([1], timing: order.timing, deadline: .seconds(9_000), cap: latest)
        _ = try await fixture.run(handler, chunk: release)
        #expect(gateway.sent.count == 2)
        #expect(try await fixture.counts()[.delivered] == 2)
    }

    /// A release that comes while the device is over its cap again gets a new order, and stays deferred.
    @Test func aReleaseMayBeLimitedAgain() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1], deadline: .seconds(86_400))
        let due = DispatchFixture.start
        _ = try await fixture.ledger.defer(
            [Deferral(offsets: [1], cause: .quietHours, due: due)], of: fixture.task, in: fixture.segment)
        try await spend([1], fixture: fixture)
        let timing = DeviceTiming(deferral: .quietHours, begins: due.milliseconds)
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1], timing: timing, cap: latest))
        #expect(gateway.sent.isEmpty)
        #expect(try fixture.producer.retries().map(\.timing.deferral) == [.cap])
        #expect(try await waiting(fixture)?.devices == 1)
        #expect(try await fixture.counts()[.deferred] == 1)
    }

    /// Goal: the order is durable before the device is deferred, so that no interruption leaves one without an order.
    /// Method: the ledger fails in between; the order is there, the device is not deferred, and the chunk is repeated.
    @Test func theOrderIsDurableFirst() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1], deadline: .seconds(86_400))
        try await spend([1], fixture: fixture)
        fixture.ledger.fail(.defer, list: [.notDone])
        await #expect(throws: StoreError.self) {
            try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1], cap: latest))
        }
        #expect(try fixture.producer.retries().count == 1)
        #expect(try await fixture.counts()[.targeted] == 1)
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1], cap: latest))
        #expect(try await fixture.counts()[.deferred] == 1)
    }

    /// Goal: a device that may not wait, or not as long, ends once as suppressed. Method: `skip`, and a period that
    /// ends after the latest time of the task; the result and the ledger name the cap, and no badge is counted.
    @Test(arguments: [false, true])
    func aDeviceThatCannotWaitIsSuppressed(mayWait: Bool) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1], deadline: .seconds(86_400))
        try await spend([1], fixture: fixture)
        let short = ChunkCap(CapDispatchTests.cap, latest: (DispatchFixture.start + .seconds(3_540)).milliseconds)
        let chunk = try fixture.chunk([1], cap: mayWait ? short : never)
        for _ in 0..<2 {
            let messages = try await fixture.run(fixture.handler(gateway), chunk: chunk)
            let results = try messages.map { try ResultBatch(decoding: $0.value) }.flatMap(\.results)
            #expect(results.allSatisfy { $0.state == .suppressed && $0.reason == "cap" })
            #expect(results.count <= 1)
        }
        #expect(gateway.sent.isEmpty && gateway.permitsHeld == 0)
        #expect(try fixture.producer.retries().isEmpty)
        #expect(try await fixture.counts()[.suppressed] == 1)
        let detail = try await fixture.ledger.detail(of: 1, task: fixture.task, in: fixture.segment)
        #expect(detail?.state == .suppressed && detail?.reason == "cap")
    }

    /// What shows nothing is sent whatever the cap, and is not counted.
    @Test(arguments: [true, false])
    func whatShowsNothingIsNotLimited(isSilent: Bool) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        try await spend([1], fixture: fixture)
        let pushType = isSilent ? "alert" : "background"
        let chunk = try fixture.chunk([1, 2], isSilent: isSilent, pushType: pushType, cap: never)
        _ = try await fixture.run(fixture.handler(gateway), chunk: chunk)
        #expect(gateway.sent.count == 2)
        try await spend([2], fixture: fixture)
        let second = Samples.freshTask()
        _ = try await fixture.ledger.plan(
            second,
            as: TaskPlan(
                app: fixture.app, jobs: 1, isFast: false, deadline: DispatchFixture.start + .seconds(60),
                policy: .atLeastOnce))
        _ = try await fixture.ledger.mark(SegmentSet([2]), of: second, in: fixture.segment)
        let request = ClaimRequest(
            id: ClaimID(owner: 97, number: 1), offsets: [2], attempt: 0, lease: .seconds(20), countsBadge: false,
            cap: PushCap(count: 2, period: .seconds(3_600)))
        // The only push that was counted is that of `spend`.
        #expect(
            try await fixture.ledger.claim(request, of: second, in: fixture.segment)
                == .answers([.claimed(badge: nil)]))
    }

    /// Goal: a push is counted once, however often its device is tried. Method: two attempts are refused for now, with
    /// a cap of one; the third delivers.
    @Test func retriesAreNotLimited() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1])
        let busy = ScriptedGateway { _ in
            .answered(ProviderAnswer(.retryLater(.soon), reason: "Busy", status: 503))
        }
        for attempt: UInt8 in 0..<2 {
            _ = try await fixture.run(
                fixture.handler(busy), chunk: fixture.chunk([1], attempt: attempt, cap: never))
        }
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1], attempt: 2, cap: never))
        #expect(busy.sent.count == 2 && gateway.sent.count == 1)
        #expect(try await fixture.counts()[.delivered] == 1)
    }

    /// Without a provider a device ends, and does not wait for its cap before.
    @Test func aDeviceWithoutAProviderDoesNotWait() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1])
        try await spend([1], fixture: fixture)
        _ = try await fixture.run(fixture.handler(nil), chunk: fixture.chunk([1], cap: latest))
        #expect(try await fixture.counts()[.suppressed] == 1)
        #expect(try fixture.producer.retries().isEmpty)
    }
}
