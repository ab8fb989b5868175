import Bus
import RedisClient
import RedisStore
import RegistryLog
import ServiceHost
import ServiceKit
import Store

/// The registry of this service: in Redis, or on Kafka in Redis as a projection of the registry log.
struct RegistryAccess {
    let registry: any Registry
    let reader: any RegistryReader
    let audiences: any SavedAudiences
    let topics: any TopicStatistics
    let transfers: any TransferGroups & Transfers
    let activities: any Activities
    let maintenance: any RegistryMaintenance
    /// Also used by the other stores.
    let connection: StoreConnection
    let room: StoreRoom
    /// In start order; users of the registry start after them.
    let services: [any Service]

    static func open(_ context: ServiceContext, sweepInterval: Duration) async throws -> RegistryAccess {
        let environment = context.environment
        let redis = context.makeRedisClient()
        let connection = StoreConnection(redis)
        let watch = RedisMemoryWatch(client: redis, time: environment.time)
        let room = StoreRoom(percentUsed: { watch.percentUsed }, percentMaximum: context.memoryPercent)
        let store =
            context.hasLoggedRegistry
            ? try await open(connection, mode: .follower, environment: environment)
            : try await openDirectly(connection, context: context)
        let keeper = RegistryKeeper(
            store, redis: redis, interval: sweepInterval, log: environment.log, time: environment.time)
        let witness = context.watch(context.openWitness(redis), over: store)
        guard context.hasLoggedRegistry else {
            return RegistryAccess(
                registry: BoundedRegistry(registry: store, room: room), reader: store, audiences: store, topics: store,
                transfers: store, activities: store, maintenance: store, connection: connection, room: room,
                services: [keeper, witness, TopicCountRecorder(store, log: environment.log, time: environment.time)])
        }
        let log = try await context.untilReachable {
            try await RegistryLog(
                bus: context.bus, environment: environment, projection: store, maintenance: store)
        }
        let logged = store.writing(through: log.journal)
        return RegistryAccess(
            registry: BoundedRegistry(registry: logged, room: room), reader: store, audiences: logged, topics: logged,
            transfers: logged, activities: logged, maintenance: store, connection: connection, room: room,
            services: [keeper, witness] + log.services { context.worker($0, handler: $1) }
                + [TopicCountRecorder(logged, log: environment.log, time: environment.time)])
    }

    /// The registry log has its own readiness check. Without it, readiness must be reported before the registry is
    /// open.
    private static func openDirectly(
        _ connection: StoreConnection, context: ServiceContext
    ) async throws -> RedisRegistry {
        let readiness = RegistryReadiness()
        context.environment.health.addReadinessCheck("registry") { await readiness.now() }
        let registry = try await context.untilReachable("the registry") {
            try await open(connection, mode: .authoritative, environment: context.environment)
        }
        readiness.opened(registry)
        return registry
    }

    private static func open(
        _ connection: StoreConnection, mode: RedisRegistry.Mode, environment: WorkerEnvironment
    ) async throws(StoreError) -> RedisRegistry {
        try await RedisRegistry.open(
            connection, mode: mode, log: environment.log, time: environment.time,
            random: environment.random)
    }
}
