import Bus
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit
import Store
import Topics

extension Scheduler {
    private static let group = "scheduler"

    static func build(
        _ context: ServiceContext, _ configuration: SchedulerConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let redis = RedisClient(
            context.redis, log: environment.log, metrics: environment.metrics, time: environment.time,
            random: environment.random)
        let connection = StoreConnection(redis)
        let registry = try await context.untilReachable("the registry") {
            // Only `ingest-api` and `carillon rebuild` make a registry; whoever else finds none waits for it.
            try await RedisRegistry.open(
                connection, mode: .follower, log: environment.log, time: environment.time, random: environment.random)
        }
        environment.health.addReadinessCheck("registry") { await readiness(of: registry) }
        let producer = try await context.untilReachable {
            try await context.bus.makeProducer(ProducerOptions(patience: configuration.patience))
        }
        let retries = RetryParts(
            index: RedisRetryIndex(connection), registry: registry, ledger: RedisLedger(connection),
            producer: producer, lease: configuration.lease, environment: environment)
        let connections = Connections(producer: producer, redis: redis)
        // Stopped in reverse: first nothing more is taken in, then what is being released is finished.
        return [connections] + retries.releasers
            + Lane.allCases.map { lane in
                context.worker(
                    ConsumerOptions(channel: Topics.retries.channel(lane), group: group), retries.intake(lane))
            }
    }

    private static func readiness(of registry: any RegistryMaintenance) async -> Health.Readiness {
        do throws(StoreError) {
            switch try await registry.state() {
            case .ready: return .ready
            case .rebuilding: return .notReady("it is being rebuilt; retries wait")
            case .absent: return .notReady("there is none; retries wait")
            }
        } catch {
            return .notReady(error.description)
        }
    }
}
