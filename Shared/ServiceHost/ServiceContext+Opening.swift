package import Apps
import Bus
package import RedisStore
import ServiceKit
import Store

// What several services open alike.
extension ServiceContext {
    /// Returns once the folder was read.
    package func openApps(_ configuration: AppsConfiguration) async -> AppDirectory {
        await AppDirectory.open(
            configuration, log: environment.log, metrics: environment.metrics, health: environment.health,
            time: environment.time)
    }

    /// Only `ingest-api` and `carillon rebuild` make a registry; whoever else finds none waits for it.
    package func followRegistry(_ store: StoreConnection) async throws -> RedisRegistry {
        try await untilReachable("the registry") {
            try await RedisRegistry.open(
                store, mode: .follower, log: environment.log, time: environment.time, random: environment.random)
        }
    }

    /// Likewise; `meanwhile` says in `/readyz` what waits where the registry is not whole.
    package func followRegistry(_ store: StoreConnection, meanwhile: String) async throws -> RedisRegistry {
        let registry = try await followRegistry(store)
        environment.health.addReadinessCheck("registry") { await registry.readiness(meanwhile: meanwhile) }
        return registry
    }
}
