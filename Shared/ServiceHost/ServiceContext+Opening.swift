package import Apps
import Bus
package import RedisClient
package import RedisStore
package import ServiceKit
import Store

// Resources that several services open in the same way.
extension ServiceContext {
    /// Returns once the folder has been read.
    package func openApps(_ configuration: AppsConfiguration) async -> AppDirectory {
        await AppDirectory.open(
            configuration, log: environment.log, metrics: environment.metrics, health: environment.health,
            time: environment.time)
    }

    /// The witness that detects a rollback of the store; it must be watched. `/readyz` reports a store that refuses all
    /// commands, one that was rolled back, and one whose rollback could go undetected.
    package func openWitness(_ client: RedisClient) -> RedisWitness {
        let witness = RedisWitness(
            StoreConnection(client), isRepairable: hasLoggedRegistry, log: environment.log,
            metrics: environment.metrics)
        let asksNothing = redis.durability == .any
        environment.health.addReadinessCheck("store") {
            guard !witness.epoch.isDoubtful else {
                return .notReady("Redis came back with older data; run `carillon rebuild`")
            }
            do {
                try await client.checkAnswers()
                return asksNothing ? .ready : try await client.durability()
            } catch {
                return .notReady("Redis does not answer: \(error)")
            }
        }
        return witness
    }

    /// Start it before all senders, and stop it after them.
    package func watch(_ witness: RedisWitness, over registry: RedisRegistry? = nil) -> any Service {
        WitnessWatch(witness, over: registry, time: environment.time)
    }

    /// Only `ingest-api` and `carillon rebuild` create a registry; all others wait until it exists.
    package func followRegistry(_ store: StoreConnection) async throws -> RedisRegistry {
        try await untilReachable("the registry") {
            try await RedisRegistry.open(
                store, mode: .follower, log: environment.log, time: environment.time, random: environment.random)
        }
    }

    /// The same; while the registry is incomplete, `/readyz` shows `meanwhile`, the work that waits for it.
    package func followRegistry(_ store: StoreConnection, meanwhile: String) async throws -> RedisRegistry {
        let registry = try await followRegistry(store)
        environment.health.addReadinessCheck("registry") { await registry.readiness(meanwhile: meanwhile) }
        return registry
    }
}
