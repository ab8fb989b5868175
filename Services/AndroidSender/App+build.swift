import Apps
import Bus
import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit
import Store
import Topics

extension AndroidSender {
    private static let group = "android-sender"

    /// Workers come last and are stopped first: the resources they send with must outlive them.
    static func build(
        _ context: ServiceContext, configuration: AndroidSenderConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let apps = await context.openApps(configuration.apps)
        let redis = context.makeLaneClients()
        environment.health.addReadinessCheck("ledger") { redis.readiness }
        let providers = Providers(configuration, store: StoreConnection(redis[.fast]), environment: environment)
        let gateways = AndroidGateways(
            time: environment.time, app: { apps.current.app($0) }, make: { providers.gateway($1, content: $2, of: $0) })
        let outages = OutageWatch(
            RedisProviderOutages(StoreConnection(redis[.fast])), pauses: configuration.outagePauses,
            probeLease: configuration.claimLease, time: environment.time, random: environment.random,
            log: environment.log, metrics: environment.metrics)
        environment.health.addRemark("outages") { outages.detail.isEmpty ? nil : outages.detail }
        let witness = context.openWitness(redis[.fast])
        let handler = handlers(
            gateways, outages: outages, redis: redis, witness: witness, configuration: configuration,
            environment: environment)
        let connections = SharedResources {
            await providers.pool.close()
            for client in providers.clients { await client.close(within: .seconds(1)) }
            await redis.close()
        }
        // Each lane has a worker of its own, so that a single push never waits behind a broadcast; at the gate of its
        // app the fast lane goes first.
        let workers = [Lane.bulk, .fast].map {
            context.worker(options($0), concurrency: configuration.concurrency, handler: handler($0))
        }
        return [connections, apps, context.watch(witness)] + workers
    }

    private static func handlers(
        _ gateways: AndroidGateways, outages: OutageWatch, redis: LaneClients, witness: RedisWitness,
        configuration: AndroidSenderConfiguration, environment: WorkerEnvironment
    ) -> (Lane) -> DispatchHandler {
        let halts = AppHalts(
            patience: configuration.credentialsPatience, time: environment.time, log: environment.log,
            metrics: environment.metrics)
        environment.health.addRemark("sending") { halts.detail.isEmpty ? nil : halts.detail }
        let breakers = DeletionBreakers(time: environment.time)
        return { lane in
            DispatchHandler(
                ledger: RedisLedger(StoreConnection(redis[lane]), witness: witness), gateways: gateways, halts: halts,
                outages: outages, breakers: breakers, witness: witness, lease: configuration.claimLease,
                batchMaximum: { $0 == .huawei ? ClaimRequest.devicesMaximum : DispatchHandler.batchMaximum },
                random: environment.random, metrics: environment.metrics)
        }
    }

    /// The order of chunks does not matter, and one that waits for a provider must not block those behind it.
    private static func options(_ lane: Lane) -> ConsumerOptions {
        ConsumerOptions(
            channel: Topics.dispatchAndroid.channel(lane), group: group, order: .none, batchMessagesMaximum: 64,
            batchBytesMaximum: 128 << 10)
    }
}
