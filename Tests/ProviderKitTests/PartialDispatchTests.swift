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

    /// What ends again and again is reported together, but not for ever later.
    @Test func endsThatKeepComingAreReportedTogether() throws {
        let ends = BatchEnds()
        for interval in 1...40 {
            ends.add(BatchEnd(), of: 3)
            let due = ends.takeWaiting()
            #expect(due.map(\.number) == (interval == 40 ? [3] : []))
        }
        ends.add(BatchEnd(), of: 4)
        ends.add(BatchEnd(), of: 1)
        #expect(ends.takeWaiting().isEmpty)
        ends.add(BatchEnd(), of: 1)
        #expect(ends.takeWaiting().map(\.number) == [4])
        #expect(ends.takeAll().map(\.number) == [1])
        #expect(ends.takeAll().isEmpty)
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
