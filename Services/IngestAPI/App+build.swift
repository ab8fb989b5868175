import Apps
import Bus
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit

extension IngestAPI {
    /// The port is opened last: until the registry is there, nobody is answered.
    static func build(
        _ context: ServiceContext, _ configuration: IngestConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let apps = await AppDirectory.open(
            configuration.apps, log: environment.log, metrics: environment.metrics, health: environment.health,
            time: environment.time)
        let redis = RedisClient(
            context.redis, log: environment.log, metrics: environment.metrics, time: environment.time,
            random: environment.random)
        let registry = try await openRegistry(redis, context)
        let keeper = RegistryKeeper(
            registry, redis, interval: configuration.sweepInterval, log: environment.log, time: environment.time)
        let pushd = PushdDialect(
            registry: registry, gatekeeper: Gatekeeper { apps.access(presented: $0, peer: $1) }, log: environment.log)
        let server = PublicServer(
            configuration.server, router: IngestRoutes.router(pushd), log: environment.log,
            metrics: environment.metrics, time: environment.time)
        return [keeper, apps, server]
    }

    private static func openRegistry(
        _ redis: RedisClient, _ context: ServiceContext
    ) async throws -> RedisRegistry {
        let environment = context.environment
        let readiness = RegistryReadiness()
        environment.health.addReadinessCheck("registry") { await readiness.now() }
        let registry = try await context.untilReachable("the registry") {
            try await RedisRegistry.open(
                RedisConnector(redis), mode: .authoritative, log: environment.log, time: environment.time,
                random: environment.random)
        }
        readiness.opened(registry)
        return registry
    }
}
