import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(2))) struct RegistryRebuildTests {
    @Test func anEmptyStoreIsFilledAgain() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 21, steps: 2_000)
        try await fixture.append(history.changes)
        fixture.store.lose()
        let progress = try await fixture.rebuild().run { _ in }
        #expect(fixture.store.state() == .ready)
        #expect(fixture.store.visible == history.visible)
        #expect(progress.records == history.changes.count)
        #expect(progress.devices == history.visible.values.reduce(0) { $0 + $1.devices.count })
        #expect(progress.segments == 6 && progress.apps == 2)
        #expect(progress.unreadable == 0 && progress.tombstones > 0)
    }

    /// Goal: whatever compaction has left out, the same registry comes back. Method: of each key the last record stays, and
    /// of those before it any; of the tombstones, those that are old enough may be gone with all before them.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func aThinnedLogGivesTheSame(seed: UInt64) async throws {
        let fixture = LogFixture(store: ModelStore())
        let history = try History(seed: seed, steps: 1_000)
        try await fixture.append(thinned(history.changes, random: SeededRandomSource(seed: seed * 31)))
        _ = try await fixture.rebuild().run { _ in }
        #expect(fixture.store.visible == history.visible)
    }

    private func thinned(_ changes: [RegistryChange], random: SeededRandomSource) -> [RegistryChange] {
        let keys = changes.map { RegistryRecord($0).key }
        let last = Dictionary(zip(keys, changes.indices)) { $1 }
        let oldTombstones = changes.count / 3
        return changes.indices.filter { index in
            guard last[keys[index]] == index else {
                // What stands before a tombstone that is gone is gone too.
                let end = last[keys[index]] ?? index
                let isEndGone = end < oldTombstones && RegistryRecord(changes[end]).value.isEmpty
                return !isEndGone && random.next() % 3 == 0
            }
            return index >= oldTombstones || !RegistryRecord(changes[index]).value.isEmpty
        }.map { changes[$0] }
    }

    /// Goal: a rebuild that was cut off leaves a registry that answers nobody, and the next one makes it whole. Method: it
    /// is stopped by its store after each possible number of batches.
    @Test func aRebuildThatWasCutOffIsRunAgain() async throws {
        let history = try History(seed: 22, steps: 400)
        for batches in 0..<4 {
            let fixture = LogFixture()
            try await fixture.append(history.changes)
            fixture.store.lose()
            var seen = 0
            let cutOff = CancellationBus(bus: fixture.bus, after: batches * 100)
            await #expect(throws: CancellationError.self) {
                _ = try await RegistryRebuild(
                    bus: cutOff, maintenance: fixture.store, environment: fixture.environment, batchMaximum: 100
                ).run { _ in seen += 1 }
            }
            #expect(seen == batches)
            #expect(fixture.store.state() == .rebuilding)
            _ = try await fixture.rebuild().run { _ in }
            #expect(fixture.store.visible == history.visible)
        }
    }

    /// Goal: of two rebuilds the later one counts, and the earlier one neither fills nor finishes it.
    @Test func aLaterRebuildTakesOver() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 23, steps: 500)
        try await fixture.append(history.changes)
        let early = fixture.store.beginRebuild()
        _ = fixture.store.beginRebuild()
        let error = await #expect(throws: StoreError.self) {
            try await early.apply([LoggedChange(offset: 0, history.changes[0])])
        }
        #expect(error?.code == .notReady)
        await #expect(throws: StoreError.self) { try await early.finish() }
        #expect(fixture.store.state() == .rebuilding)
        _ = try await fixture.rebuild().run { _ in }
        #expect(fixture.store.visible == history.visible)
    }

    /// Goal: services that run meanwhile lose nothing. Method: the projector runs before, during and after, and records are
    /// appended all the time.
    @Test func theProjectorGoesOnBehindIt() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 24, steps: 1_500)
        let third = history.changes.count / 3
        try await withRunning([try await fixture.worker()]) {
            try await fixture.append(Array(history.changes[..<third]))
            #expect(await blocking { fixture.store.hasApplied(third) })
            fixture.store.lose()
            try await fixture.append(Array(history.changes[third..<(2 * third)]))
            async let late: Void = fixture.append(Array(history.changes[(2 * third)...]))
            _ = try await fixture.rebuild().run { _ in }
            try await late
            #expect(await blocking { fixture.store.hasBecome(history.visible) })
        }
    }

    @Test func anOutageOfTheStoreOnlyDelaysIt() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 25, steps: 300)
        try await fixture.append(history.changes)
        fixture.store.fail(with: StoreError(.unavailable, message: "away"), StoreError(.full, message: "full"))
        fixture.store.failToFinish(with: StoreError(.unavailable, message: "away again"))
        _ = try await fixture.rebuild().run { _ in }
        #expect(fixture.store.visible == history.visible)
        #expect(fixture.store.state() == .ready)
    }

    /// Goal: nobody is answered before what stands beside the registry is mended, and nobody at all where that failed.
    @Test func whatStandsBesideItIsMendedFirst() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 27, steps: 100)
        try await fixture.append(history.changes)
        fixture.store.lose()
        let failure = StoreError(.corrupt, message: "no")
        await #expect(throws: failure) {
            _ = try await fixture.rebuild().run({ _ in }, beforeReady: { throw failure })
        }
        #expect(fixture.store.state() == .rebuilding)
        var states: [RegistryState] = []
        _ = try await fixture.rebuild().run({ _ in }, beforeReady: { states.append(fixture.store.state()) })
        #expect(states == [.rebuilding])
        #expect(fixture.store.state() == .ready)
    }

    @Test func recordsThatCannotBeReadAreNamedAndLeftOut() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 26, steps: 100)
        let producer = try await fixture.bus.makeProducer(ProducerOptions())
        let place = try await producer.send([Topics.registry.message(OpaqueMessage([1]), key: Array("what".utf8))])
        try await fixture.append(history.changes)
        var named: [MessagePosition] = []
        let progress = try await fixture.rebuild().run { note in
            guard case .unreadable(let partition, let offset, _) = note else { return }
            named.append(MessagePosition(partition: partition, offset: offset))
        }
        #expect(named == place)
        #expect(progress.unreadable == 1 && progress.records == history.changes.count + 1)
        #expect(fixture.store.visible == history.visible)
    }
}

/// A bus whose scan is cut off after so many messages.
private struct CancellationBus: Bus {
    let bus: any Bus
    let after: Int

    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        try await bus.makeProducer(options)
    }

    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        try await bus.makeConsumer(options)
    }

    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        var left = after
        try await bus.scan(channel) { message in
            guard left > 0 else { throw CancellationError() }
            left -= 1
            return try await visit(message)
        }
    }

    func readiness() async -> Health.Readiness { await bus.readiness() }
    func close() async {}
}
