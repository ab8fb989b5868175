import Bus
import RedisClient
import RedisStore
import RegistryLog
import ServiceHost
import ServiceKit
import Store

/// The registry as this service uses it: in Redis, or where messages go over Kafka, in Redis by way of the log.
struct RegistryAccess {
    let registry: any Registry
    /// In the order in which they start; who uses the registry comes after them.
    let services: [any Service]

    static func open(_ context: ServiceContext, sweepInterval: Duration) async throws -> RegistryAccess {
        let environment = context.environment
        let redis = RedisClient(
            context.redis, log: environment.log, metrics: environment.metrics, time: environment.time,
            random: environment.random)
        let store =
            context.hasLoggedRegistry
            ? try await open(redis, .follower, environment) : try await openDirectly(redis, context)
        let keeper = RegistryKeeper(
            store, redis, interval: sweepInterval, log: environment.log, time: environment.time)
        guard context.hasLoggedRegistry else { return RegistryAccess(registry: store, services: [keeper]) }
        let log = try await context.untilReachable {
            try await RegistryLog(
                bus: context.bus, environment: environment, projection: store, maintenance: store)
        }
        return RegistryAccess(
            registry: store.writing(through: log.journal), services: [keeper] + log.services { context.worker($0, $1) })
    }

    /// With the log its own opening says whether the registry is ready; here it has to be said before it is open, too.
    private static func openDirectly(_ redis: RedisClient, _ context: ServiceContext) async throws -> RedisRegistry {
        let readiness = RegistryReadiness()
        context.environment.health.addReadinessCheck("registry") { await readiness.now() }
        let registry = try await context.untilReachable("the registry") {
            try await open(redis, .authoritative, context.environment)
        }
        readiness.opened(registry)
        return registry
    }

    private static func open(
        _ redis: RedisClient, _ mode: RedisRegistry.Mode, _ environment: WorkerEnvironment
    ) async throws(StoreError) -> RedisRegistry {
        try await RedisRegistry.open(
            StoreConnection(redis), mode: mode, log: environment.log, time: environment.time,
            random: environment.random)
    }
}
