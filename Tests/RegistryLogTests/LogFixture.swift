import Bus
import MemoryBus
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Topics

/// A bus and a model store, with the components of a process that use them.
struct LogFixture: Sendable {
    let bus: any Bus
    let store: ModelStore
    let lines = CollectingSink()
    let health = Health(time: SystemTimeSource())

    init(store: ModelStore = ModelStore(isReady: true), bus: (any Bus)? = nil) {
        self.bus = bus ?? MemoryBus(time: SystemTimeSource(), random: SystemRandomSource())
        self.store = store
    }

    var environment: WorkerEnvironment {
        WorkerEnvironment(
            time: SystemTimeSource(), random: SystemRandomSource(), log: Log(service: "test", sink: lines),
            metrics: Metrics(), health: health)
    }

    func journal(
        _ options: LoggedJournal.Options = .init(patience: .seconds(60))
    ) async throws -> LoggedJournal {
        LoggedJournal(
            producer: try await bus.makeProducer(ProducerOptions()), projection: store, environment: environment,
            options: options)
    }

    func worker() async throws -> Worker<RegistryProjector> {
        Worker(
            channel: Topics.registry.channel, group: RegistryProjector.group, handler: RegistryProjector(store),
            options: WorkerOptions(backoff: Backoff(first: .milliseconds(1), longest: .milliseconds(20))),
            consumer: try await bus.makeConsumer(RegistryProjector.consumer),
            producer: try await bus.makeProducer(ProducerOptions()), environment: environment)
    }

    /// Appends without the journal, as if from another process.
    func append(_ changes: [RegistryChange]) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        for part in changes.chunks(of: 1_000) { try await producer.send(part.map { RegistryRecord($0).message }) }
        await producer.close()
    }

    func rebuild(batch: Int = 100) -> RegistryRebuild {
        RegistryRebuild(bus: bus, maintenance: store, environment: environment, batchMaximum: batch)
    }
}

/// Runs services for as long as `body` takes.
func withRunning<Result>(_ services: [any Service], body: () async throws -> Result) async throws -> Result {
    let runs = services.map { service in Task { try await service.run() } }
    do {
        let result = try await body()
        try await end(services, runs: runs)
        return result
    } catch {
        try await end(services, runs: runs)
        throw error
    }
}

private func end(_ services: [any Service], runs: [Task<Void, any Error>]) async throws {
    for service in services.reversed() { service.stop() }
    for run in runs { try await run.value }
}
