import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(5))) struct RegistryRebuildTests {
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

    /// Goal: the rebuilt registry does not depend on what compaction removed. Method: the last record of each key is
    /// kept, and any of the earlier ones; old tombstones may be removed together with everything before them.
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
                // Everything before a removed tombstone is removed too.
                let end = last[keys[index]] ?? index
                let isEndGone = end < oldTombstones && RegistryRecord(changes[end]).value.isEmpty
                return !isEndGone && random.next() % 3 == 0
            }
            return index >= oldTombstones || !RegistryRecord(changes[index]).value.isEmpty
        }.map { changes[$0] }
    }

    /// Goal: an interrupted rebuild leaves a registry that answers no requests, and the next rebuild completes it.
    /// Method: the store stops it after each possible number of batches.
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

    /// Goal: of two rebuilds only the later one counts; the earlier one neither fills nor finishes the registry.
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

    /// Goal: services that run during a rebuild lose nothing. Method: the projector runs before, during and after it,
    /// while records are appended.
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

    /// Goal: the registry becomes ready only after the step before it has succeeded.
    @Test func whatStandsBesideItIsMendedFirst() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 27, steps: 100)
        try await fixture.append(history.changes)
        fixture.store.lose()
        let failure = StoreError(.corrupt, message: "no")
        await #expect(throws: failure) {
            _ = try await fixture.rebuild().run({ _ in }, beforeReady: { _ in throw failure })
        }
        #expect(fixture.store.state() == .rebuilding)
        var states: [RegistryState] = []
        _ = try await fixture.rebuild().run({ _ in }, beforeReady: { _ in states.append(fixture.store.state()) })
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

/// A bus whose scan is interrupted after a number of messages.
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
