import Bus
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Chunks that release deferred devices, in a sender.
@Suite struct DeferredDispatchTests {
    private let timing = DeviceTiming(deferral: .quietHours, begins: DispatchFixture.start.milliseconds)

    private func `defer`(_ offsets: [UInt16], fixture: DispatchFixture) async throws {
        let group = Deferral(offsets: offsets, cause: .quietHours, due: DispatchFixture.start)
        _ = try await fixture.ledger.defer([group], of: fixture.task, in: fixture.segment)
    }

    @Test func onlyTheReleaseSendsADeferredDevice() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        try await self.defer([1, 2], fixture: fixture)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let handler = fixture.handler(gateway)
        #expect(try await fixture.run(handler, chunk: fixture.chunk([1, 2])).isEmpty)
        #expect(try await fixture.run(handler, chunk: fixture.chunk([1, 2], attempt: 1)).isEmpty)
        #expect(gateway.sent.isEmpty && gateway.permitsHeld == 0)
        _ = try await fixture.run(handler, chunk: fixture.chunk([1, 2], timing: timing))
        #expect(gateway.sent.count == 2)
        #expect(try await fixture.counts()[.delivered] == 2)
        _ = try await fixture.run(handler, chunk: fixture.chunk([1, 2], timing: timing))
        #expect(gateway.sent.count == 2)
    }

    /// Goal: a device that was claimed is retried and not released again, with the life that it has. Method: the
    /// provider refuses a device for now; its order is that of a retry.
    @Test func aReleasedDeviceIsRetriedWithItsOwnLife() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1])
        try await self.defer([1], fixture: fixture)
        let busy = ProviderAnswer(.retryLater(.soon), reason: "Busy", status: 503)
        let gateway = ScriptedGateway { _ in .answered(busy) }
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1], timing: timing))
        let order = try #require(try fixture.producer.retries().first)
        #expect(order.attempt == 1 && order.timing == DeviceTiming(begins: timing.begins))
        #expect(try await fixture.counts()[.waiting] == 1)
        // A repeated release does not take it.
        _ = try await fixture.run(fixture.handler(gateway, seed: 5), chunk: fixture.chunk([1], timing: timing))
        #expect(gateway.sent.count == 1)
        #expect(try fixture.producer.retries().count == 1)
    }

    /// Goal: a release that comes before its device is deferred is repeated as a release. Method: the device is still
    /// targeted; another is claimed by a live sender.
    @Test func aReleaseThatCannotClaimYetKeepsItsKind() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2])
        try await self.defer([2], fixture: fixture)
        let claim = ClaimRequest(
            id: ClaimID(owner: 99, number: 1), offsets: [2], attempt: 0, lease: .seconds(20), countsBadge: false,
            kind: .deferral)
        _ = try await fixture.ledger.claim(claim, of: fixture.task, in: fixture.segment)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1, 2], timing: timing))
        let orders = try fixture.producer.retries().sorted { $0.due < $1.due }
        #expect(gateway.sent.isEmpty)
        #expect(orders.map(\.offsets) == [[1], [2]])
        #expect(orders.allSatisfy { $0.timing == timing && $0.attempt == 0 })
        let now = fixture.time.now
        let pauses = [ClaimRequest.undeferredPause, .seconds(20)]
        for (order, pause) in zip(orders, pauses) {
            #expect((0..<1_000).contains(order.due - (now + pause).milliseconds))
        }
    }

    @Test func aDeviceEndsWithItsOwnLife() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: [1, 2, 3])
        try await self.defer([1], fixture: fixture)
        let gateway = ScriptedGateway { _ in .answered(.delivered) }
        let handler = fixture.handler(gateway)
        fixture.time.advance(by: .seconds(60))
        let late = try fixture.chunk([1], timing: timing, deadline: .seconds(60))
        _ = try await fixture.run(handler, chunk: late)
        // The ledger's deadline is later than that of a device which did not wait.
        _ = try await fixture.run(handler, chunk: fixture.chunk([2], deadline: .seconds(60)))
        _ = try await fixture.run(handler, chunk: fixture.chunk([3], deadline: .seconds(61)))
        #expect(try await fixture.counts()[.expired] == 2)
        #expect(try await fixture.counts()[.delivered] == 1)
    }
}
