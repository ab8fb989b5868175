import Bus
import KafkaBus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// The log on mock Kafka brokers, with as many partitions as in production.
@Suite(.timeLimit(.minutes(5))) struct KafkaLogTests {
    private func fixture(_ store: ModelStore) async throws -> (LogFixture, KafkaMockServer) {
        let server = try await KafkaMockServer(brokers: 1)
        try await server.perform("create topic registry \(Topics.registry.declaration.partitions.kafka)")
        var configuration = try KafkaConfiguration(url: server.url)
        for (name, value) in [
            ("fetch.wait.max.ms", "10"), ("session.timeout.ms", "6000"), ("heartbeat.interval.ms", "200"),
        ] { configuration.set(name, value) }
        let bus = try KafkaBus(configuration, environment: TestEnvironment.real.forWorkers)
        return (LogFixture(store: store, bus: bus), server)
    }

    /// Goal: a change committed through Kafka is in the store when the commit returns, and is restored from the log.
    /// Method: eight concurrent writers; then the store loses everything and is refilled while the projector runs.
    @Test func committedLostAndRebuilt() async throws {
        let (fixture, server) = try await fixture(ModelStore(isReady: true))
        let history = try History(seed: 31, steps: 3_000, apps: 3, segments: 20)
        let journal = try await fixture.journal()
        try await withRunning([try await fixture.worker(), journal]) {
            try await commit(history, journal: journal)
            #expect(fixture.store.visible == history.visible)
            fixture.store.lose()
            let progress = try await fixture.rebuild(batch: 1_000).run { _ in }
            #expect(progress.records == history.changes.count)
            #expect(fixture.store.visible == history.visible)
            let more = RegistryChange(app: try AppID("app-0"), index: DeviceIndex(rawValue: 4_000), .badge(77))
            try await journal.commit([more])
            #expect(fixture.store.segments[more.segment]?.badges[4_000] == 77)
        }
        await fixture.bus.close()
        withExtendedLifetime(server) {}
    }

    /// Commits of one segment keep their order; those of different segments run concurrently.
    private func commit(_ history: History, journal: LoggedJournal) async throws {
        let bySegment = Dictionary(grouping: history.commits) { $0[0].segment }
        try await withThrowingTaskGroup(of: Void.self) { writers in
            for commits in bySegment.values {
                writers.addTask { for commit in commits { try await journal.commit(commit) } }
            }
            try await writers.waitForAll()
        }
    }

    /// Goal: a first start recognizes an empty log across all partitions, and a log with a single record as not empty.
    @Test func anEmptyLogIsKnownAsEmpty() async throws {
        let (fixture, server) = try await fixture(ModelStore())
        let opening = RegistryOpening(bus: fixture.bus, maintenance: fixture.store, environment: fixture.environment)
        #expect(try await opening.open() == .ready)
        try await fixture.append(try History(seed: 1, steps: 1).changes)
        fixture.store.lose()
        #expect(try await opening.open() == .absent)
        await fixture.bus.close()
        withExtendedLifetime(server) {}
    }
}
