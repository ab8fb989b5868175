package import Apps
import Bus
package import RedisClient
package import RedisStore
package import ServiceKit
import Store

// What several services open alike.
extension ServiceContext {
    /// Returns once the folder was read.
    package func openApps(_ configuration: AppsConfiguration) async -> AppDirectory {
        await AppDirectory.open(
            configuration, log: environment.log, metrics: environment.metrics, health: environment.health,
            time: environment.time)
    }

    /// What notices that the store went back; it is to be watched. `/readyz` says of the store when it refuses everything,
    /// when it went back, and when it may do so without anybody noticing.
    package func openWitness(_ client: RedisClient) -> RedisWitness {
        let witness = RedisWitness(
            StoreConnection(client), isRepairable: hasLoggedRegistry, log: environment.log,
            metrics: environment.metrics)
        let asksNothing = redis.durability == .any
        environment.health.addReadinessCheck("store") {
            guard !witness.epoch.isDoubtful else {
                return .notReady("Redis came back with older data; `carillon rebuild` fills it again")
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

    /// To be started before whatever sends, and stopped after it.
    package func watch(_ witness: RedisWitness, over registry: RedisRegistry? = nil) -> any Service {
        WitnessWatch(witness, over: registry, time: environment.time)
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
