import Bus
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Devices that name the servers through which they are reached.
@Suite struct ServerDispatchTests {
    private let offsets = (0..<192).map { UInt16($0) }

    /// Goal: failing servers are no outage of the protocol, and a living device is reached all the same. Method:
    /// failures of every kind for seconds, then one device whose server answers.
    @Test(arguments: [PushProtocol.webpush, .wns, .mpns, .http])
    func failuresOfServersAreNoOutage(kind: PushProtocol) async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let failures: [PushOutcome] = [
            .notSent("connection refused"), .unknown("no answer"), .heldBack(.seconds(60), reason: "down"),
            .answered(ProviderAnswer(.retryLater(.soon), reason: "", status: 503)),
        ]
        let gateway = ScriptedGateway { push in
            push.token == "https://push-bf.example/"
                ? .answered(.delivered) : failures[Int(push.id.low & 3)]
        }
        let handler = fixture.handler(gateway)
        for start in stride(from: 0, to: 192, by: 32) {
            _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[start..<start + 32]), kind: kind))
            fixture.time.advance(by: .seconds(2))
        }
        #expect(gateway.sent.count == 192)
        #expect(fixture.sharedOutages.read().isEmpty && fixture.outages.detail.isEmpty)
        #expect(try await fixture.counts()[.delivered] == 1)
    }

    /// Goal: without an access token there is an outage, and a push that was sent ends it, whatever became of it.
    /// Method: the probe's own server is dead.
    @Test func aMissingTokenIsAnOutage() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { _ in .notSent("connection refused") }
        let handler = fixture.handler(gateway)
        gateway.answerAdmissions(.unavailable(reason: "no access token"))
        _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[0..<64]), kind: .wns))
        #expect(fixture.sharedOutages.read().count == 1)
        gateway.answerAdmissions(nil)
        fixture.time.advance(by: .seconds(15))
        _ = try await fixture.run(handler, chunk: fixture.chunk(Array(offsets[64..<128]), kind: .wns))
        #expect(gateway.sent.count == 64)
        #expect(fixture.sharedOutages.read().isEmpty)
    }

    /// A device whose server is left alone waits for the whole pause, and keeps its attempts.
    @Test func aPushThatIsHeldBackIsRetriedAfterThePause() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = ScriptedGateway { _ in .heldBack(.seconds(90), reason: "down") }
        _ = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk([1, 2], kind: .http, attempt: 0))
        let orders = try fixture.producer.retries()
        #expect(orders.map(\.attempt) == [0])
        #expect(orders.map(\.due) == [(fixture.time.now + .seconds(90)).milliseconds])
        #expect(try await fixture.counts()[.waiting] == 2)
        let page = fixture.metrics.exposition()
        #expect(page.contains("carillon_sender_pushes_total{outcome=\"held_back\"} 2\n"))
        #expect(page.contains("carillon_sender_pushes_total{outcome=\"not_sent\"} 0\n"))
    }

    /// Goal: an answer that a device may be gone is counted for the device while others are delivered, and never
    /// without a delivery: then the whole server may have failed.
    @Test func aSuspectDeviceIsCountedWhileOthersAreDelivered() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let suspect = PushOutcome.answered(ProviderAnswer(.suspectDevice, reason: "", status: 404))
        let isUp = Monitor(false)
        let gateway = ScriptedGateway { push in
            isUp.withLock { $0 } && push.token != "https://push-42.example/" ? .answered(.delivered) : suspect
        }
        let handler = fixture.handler(gateway)
        func results(_ range: Range<Int>) async throws -> [DeviceResult] {
            let chunk = try fixture.chunk(Array(offsets[range]), kind: .http)
            return try await fixture.run(handler, chunk: chunk).flatMap { try ResultBatch(decoding: $0.value).results }
        }
        let down = try await results(0..<64)
        #expect(down.count == 64 && down.allSatisfy { $0.state == .invalid && !$0.isCounted })
        // The failures of a minute ago are forgotten.
        fixture.time.advance(by: .seconds(60))
        isUp.change { $0 = true }
        let up = try await results(64..<128)
        #expect(up.count { $0.state == .delivered } == 63)
        #expect(up.filter { $0.state == .invalid }.map(\.isCounted) == [true])
    }
}
