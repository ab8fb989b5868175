import Bus
import CommandKit
import RedisClient
import RedisStore
import RegistryLog
import ServiceHost
import ServiceKit
import Store
import Synchronization
import Topics

extension CommandContext {
    /// Opens the Redis of a pushd for the duration of `body`.
    func withDatabase<Result: Sendable>(
        _ source: RedisConfiguration, log: Log, _ body: (PushdDatabase) async throws -> Result
    ) async throws -> Result {
        let address =
            (source.tls == nil ? "redis://" : "rediss://")
            + source.addresses.map(\.description).joined(separator: ",") + "/\(source.database)"
        return try await withClient(source, log: log) { client in
            try await body(PushdDatabase(client: client, address: address))
        }
    }

    /// Opens the registry for the duration of `body`, as `ingest-api` does: in Redis, or through the log on Kafka.
    func withImportTarget<Result: Sendable>(
        _ body: @Sendable (ImportTarget) async throws -> Result
    ) async throws -> Result {
        let settings = try settings()
        let isLogged = settings.bus.kafka != nil
        return try await withClient(settings.bus.redis, log: settings.log) { client in
            let connection = StoreConnection(client, pipelineMaximum: RegistryRebuild.pipelineMaximum)
            let registry = try await RedisRegistry.open(
                connection, mode: isLogged ? .follower : .authoritative, log: settings.log)
            let watch = RedisMemoryWatch(client: client, time: SystemTimeSource())
            let percentMaximum = AdmissionStage.registering.percent(accepting: settings.bus.memoryPercent)
            @Sendable func target(_ registry: RedisRegistry) -> ImportTarget {
                ImportTarget(
                    registry: registry, progress: RedisTakeoverProgress(connection), isLogged: isLogged
                ) { () throws(ImportError) in
                    guard watch.percentUsed >= percentMaximum else { return }
                    throw ImportError(
                        "Redis uses \(percentMaximum) % of its maxmemory, the share for new devices; raise maxmemory "
                            + "and run the import again, which continues")
                }
            }
            guard isLogged else { return try await body(target(registry)) }
            return try await withBus { bus in
                try await withJournal(bus, of: registry, log: settings.log) { try await body(target($0)) }
            }
        }
    }

    /// Runs a projector of its own: without one, no change would be applied while no service runs.
    private func withJournal<Result: Sendable>(
        _ bus: any Bus, of store: RedisRegistry, log: Log, _ body: @Sendable (RedisRegistry) async throws -> Result
    ) async throws -> Result {
        let environment = WorkerEnvironment(log: log)
        let opening = RegistryOpening(bus: bus, maintenance: store, environment: environment)
        guard try await opening.open() == .ready else {
            throw ImportError("the registry in Redis is incomplete; run carillon rebuild first")
        }
        let journal = LoggedJournal(
            producer: try await bus.makeProducer(ProducerOptions()), projection: store, environment: environment,
            options: LoggedJournal.Options(patience: .seconds(60)))
        let projector = Worker(
            channel: Topics.registry.channel, group: RegistryProjector.group, handler: RegistryProjector(store),
            options: WorkerOptions(), consumer: try await bus.makeConsumer(RegistryProjector.consumer),
            producer: try await bus.makeProducer(ProducerOptions()), environment: environment)
        return try await whileRunning([projector, journal], environment: environment) {
            try await body(store.writing(through: journal))
        }
    }

    private func whileRunning<Result: Sendable>(
        _ services: [any Service], environment: WorkerEnvironment, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let result = Mutex<Swift.Result<Result, any Error>?>(nil)
        try await withoutActuallyEscaping(body) { body in
            _ = try await ServiceGroup(services, log: environment.log, time: environment.time).run(
                drainingWithin: .seconds(30)
            ) {
                do {
                    let value = try await body()
                    result.withLock { $0 = .success(value) }
                } catch {
                    result.withLock { $0 = .failure(error) }
                }
            }
        }
        guard let result = result.withLock({ $0 }) else { throw ImportError("the import was interrupted") }
        return try result.get()
    }

    private func withClient<Result: Sendable>(
        _ configuration: RedisConfiguration, log: Log, _ body: (RedisClient) async throws -> Result
    ) async throws -> Result {
        let client = RedisClient(configuration, log: log, metrics: Metrics())
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }
}
