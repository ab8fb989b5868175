import Bus
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import ProviderKit

/// Batches of which some outcomes come much later than others.
@Suite(.timeLimit(.minutes(3))) struct PartialDispatchTests {
    private let offsets = (0..<40).map { UInt16($0) }

    /// Goal: what is answered early is settled and reported while the rest is in flight. Method: the gateway hands three
    /// quarters of a batch over, and keeps the rest until the results of the first part have been looked at.
    @Test func earlyOutcomesAreReportedEarly() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = SlowGateway(early: 30)
        let chunk = try fixture.chunk(offsets)
        let run = Task { try await fixture.run(fixture.handler(gateway), chunk: chunk) }
        await gateway.waitsForRest.wait()
        await fixture.passReportIntervals()
        #expect(try fixture.offsets(in: fixture.producer.results) == Array(offsets.prefix(30)))
        #expect(try await fixture.counts()[.delivered] == 30)
        gateway.end.happen()
        #expect(try fixture.offsets(in: try await run.value) == offsets)
        #expect(try await fixture.counts()[.delivered] == 40)
        // They were noted as reported: a repeated chunk reports nothing more.
        #expect(try await fixture.run(fixture.handler(gateway, seed: 5), chunk: chunk).isEmpty)
        #expect(gateway.sent.withLock { $0 } == 40)
    }

    /// Goal: a part whose results cannot be sent does not keep the other from being settled. Method: the bus refuses
    /// the results of the first part; the chunk is delivered again.
    @Test func afterAFailedPartTheRestIsSettled() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = SlowGateway(early: 30)
        let chunk = try fixture.chunk(offsets)
        fixture.producer.refuseResults(true)
        let run = Task { try await fixture.run(fixture.handler(gateway), chunk: chunk) }
        await gateway.waitsForRest.wait()
        await fixture.passReportIntervals()
        fixture.producer.refuseResults(false)
        gateway.end.happen()
        await #expect(throws: BusError.self) { try await run.value }
        #expect(try await fixture.counts()[.delivered] == 40)
        let again = try await fixture.run(fixture.handler(gateway, seed: 5), chunk: chunk)
        #expect(try fixture.offsets(in: again) == offsets)
        #expect(gateway.sent.withLock { $0 } == 40)
    }

    /// Goal: what has ended is reported while another batch is in flight. Method: two batches, of which one has a device
    /// that is not answered.
    @Test func endedBatchesDoNotWaitForOthers() async throws {
        let fixture = try DispatchFixture()
        let all = (0..<(DispatchHandler.batchMaximum + 1)).map { UInt16($0) }
        try await fixture.plan(marking: all)
        let end = OneTimeEvent()
        let gateway = ScriptedGateway { push in
            if push.token.hasSuffix("40") { await end.wait() }
            return .answered(.delivered)
        }
        let run = Task { try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(all)) }
        while fixture.producer.results.isEmpty {
            await fixture.passReportIntervals()
        }
        #expect(try fixture.offsets(in: fixture.producer.results) == Array(all.dropLast()))
        end.happen()
        #expect(try fixture.offsets(in: try await run.value) == all)
    }

    /// What ends again and again is reported together, but no more than 20 intervals late.
    @Test func endsThatKeepComingAreReportedTogether() throws {
        let ends = BatchEnds()
        let end = BatchEnd(results: [
            DeviceResult(
                device: DeviceID(index: DeviceIndex(segment: SegmentNumber(rawValue: 3), offset: 1), tag: 1),
                provider: .apns, state: .delivered, attempt: 0, status: 200, reason: "", attempted: nil)
        ])
        for interval in 1...20 {
            ends.add(end, of: 3)
            let taken = ends.takeWaitingResults()
            #expect(taken.map(\.chunk) == (interval == 20 ? [3] : []))
            #expect(taken.flatMap(\.end.results).count == (interval == 20 ? 20 : 0))
        }
        ends.add(end, of: 4)
        ends.add(end, of: 1)
        #expect(ends.takeWaitingResults().isEmpty)
        ends.add(end, of: 1)
        #expect(ends.takeWaitingResults().map(\.chunk) == [4])
        #expect(ends.takeAll().flatMap(\.end.results).count == 2)
        #expect(ends.takeAll().isEmpty)
    }

    /// Goal: a chunk that is handled again makes no second order for devices that another sender holds. Method: a part
    /// of a batch is reported while the rest is in flight, and cannot be settled later; the chunk is delivered again.
    @Test func heldDevicesHaveOneOrder() async throws {
        let fixture = try DispatchFixture()
        let held = (0..<UInt16(DispatchHandler.batchMaximum)).map { $0 }
        let own = (0..<40).map { UInt16(DispatchHandler.batchMaximum) + $0 }
        try await fixture.plan(marking: held + own)
        let claim = ClaimRequest(
            id: ClaimID(owner: 99, number: 1), offsets: held, attempt: 0, lease: .seconds(60), countsBadge: false)
        _ = try await fixture.ledger.claim(claim, of: fixture.task, in: fixture.segment)
        let gateway = SlowGateway(early: 30)
        let chunk = try fixture.chunk(held + own)
        let run = Task { try await fixture.run(fixture.handler(gateway), chunk: chunk) }
        await gateway.waitsForRest.wait()
        while fixture.producer.results.isEmpty { await fixture.passReportIntervals() }
        #expect(try fixture.offsets(in: fixture.producer.results) == Array(own.prefix(30)))
        fixture.ledger.fail(.settle, list: [.answerLost])
        gateway.end.happen()
        // One sleeps before it settles again, the other until it reports again.
        #expect(await fixture.time.hasSleepers(2))
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: SettlementUnknownError.self) { try await run.value }
        #expect(try fixture.producer.retries().isEmpty)
        let again = try await fixture.run(fixture.handler(gateway, seed: 5), chunk: chunk)
        #expect(try fixture.offsets(in: again) == Array(own.dropFirst(30)))
        #expect(try fixture.producer.retries().map(\.offsets) == [held])
    }

    /// Each part is settled under the claim of the batch: what the provider asks of one device concerns no other.
    @Test func partsHaveOutcomesOfTheirOwn() async throws {
        let fixture = try DispatchFixture()
        try await fixture.plan(marking: offsets)
        let gateway = SlowGateway(early: 30) { position in
            position < 30 ? .heldBack(.seconds(7), reason: "the device's server is slow") : .answered(.delivered)
        }
        gateway.end.happen()
        let results = try await fixture.run(fixture.handler(gateway), chunk: fixture.chunk(offsets))
        #expect(try fixture.offsets(in: results) == Array(offsets.dropFirst(30)))
        #expect(try fixture.producer.retries().flatMap(\.offsets) == Array(offsets.prefix(30)))
        let counts = try await fixture.counts()
        #expect(counts[.delivered] == 10)
        #expect(counts[.waiting] == 30)
    }
}

/// Hands over the outcomes of a batch's first pushes, and those of the rest after an event.
private final class SlowGateway: PushGateway {
    let waitsForRest = OneTimeEvent()
    let end = OneTimeEvent()
    let sent = Monitor(0)
    private let early: Int
    private let outcome: @Sendable (Int) -> PushOutcome

    init(early: Int, outcome: @escaping @Sendable (Int) -> PushOutcome = { _ in .answered(.delivered) }) {
        self.early = early
        self.outcome = outcome
    }

    func admit(_ count: Int, lane: Lane) -> Admission { .admitted(count) }

    func giveBack(_ count: Int) {}

    func send(_ pushes: [Push]) -> [PushOutcome] {
        pushes.indices.map(outcome)
    }

    func send(_ pushes: [Push], handOver: (PartialOutcomes) async -> Void) async {
        sent.change { $0 += pushes.count }
        let outcomes = send(pushes)
        await handOver(PartialOutcomes(Array(0..<early), outcomes: Array(outcomes.prefix(early))))
        waitsForRest.happen()
        await end.wait()
        await handOver(PartialOutcomes(Array(early..<pushes.count), outcomes: Array(outcomes.dropFirst(early))))
    }
}

extension DispatchFixture {
    /// Two intervals after the end of a part it is reported.
    fileprivate func passReportIntervals() async {
        for _ in 0..<2 {
            #expect(await time.hasSleepers(1))
            time.advance(by: .milliseconds(50))
        }
        // The handler sleeps again when it has reported.
        #expect(await time.hasSleepers(1))
    }

    fileprivate func offsets(in messages: [OutgoingMessage]) throws -> [UInt16] {
        try messages.flatMap { try ResultBatch(decoding: $0.value).results.map(\.offset) }.sorted()
    }
}
