import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(5))) struct RegistryProjectorTests {
    /// Goal: no record is skipped while there is no registry. Method: records are appended first; it is filled later.
    @Test func nothingIsPassedOverWhileTheRegistryIsNotReady() async throws {
        let fixture = LogFixture(store: ModelStore())
        let history = try History(seed: 11, steps: 500)
        try await fixture.append(history.changes)
        try await withRunning([try await fixture.worker()]) {
            #expect(await blocking { fixture.store.hasRefused(2) })
            fixture.store.initialize()
            #expect(await blocking { fixture.store.hasApplied(history.changes.count) })
        }
        #expect(fixture.store.visible == history.visible)
    }

    /// Goal: records read twice change nothing. Method: another worker of a new group reads all of them again.
    @Test func whatWasAppliedIsPassedOver() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 12, steps: 300)
        try await fixture.append(history.changes)
        for group in ["one", "two"] {
            let worker = Worker(
                channel: Topics.registry.channel, group: group, handler: RegistryProjector(fixture.store),
                options: WorkerOptions(),
                consumer: try await fixture.bus.makeConsumer(
                    ConsumerOptions(channel: Topics.registry.channel, group: group, batchMessagesMaximum: 20)),
                producer: try await fixture.bus.makeProducer(ProducerOptions()), environment: fixture.environment)
            let count = history.changes.count * (group == "one" ? 1 : 2)
            try await withRunning([worker]) { #expect(await blocking { fixture.store.hasApplied(count) }) }
            #expect(fixture.store.visible == history.visible)
        }
    }

    @Test func recordsThatCannotBeReadAreGivenUpAndTheOthersApplied() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 13, steps: 60, apps: 1, segments: 1)
        let producer = try await fixture.bus.makeProducer(ProducerOptions())
        let key = RegistryRecord(history.changes[0]).key
        try await producer.send([Topics.registry.message(OpaqueMessage([9, 9]), key: key)])
        try await fixture.append(history.changes)
        try await withRunning([try await fixture.worker()]) {
            #expect(await blocking { fixture.store.hasApplied(history.changes.count) })
        }
        #expect(fixture.store.visible == history.visible)
        var letters: [DeadLetter] = []
        try await fixture.bus.scan(Topics.dead.channel) { message in
            letters += [DeadLetter(fromDead: message)].compactMap { $0 }
            return true
        }
        #expect(letters.map(\.reason) == [.poison])
        #expect(letters.first?.detail == "unknown registry record version 9")
    }
}
