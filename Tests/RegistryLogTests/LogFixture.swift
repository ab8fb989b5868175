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
    let test = TestEnvironment.real

    init(store: ModelStore = ModelStore(isReady: true), bus: (any Bus)? = nil) {
        self.bus = bus ?? MemoryBus(time: SystemTimeSource(), random: SystemRandomSource())
        self.store = store
    }

    var environment: WorkerEnvironment { test.forWorkers }

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
