import Apps
import Bus
import HTTP2
import ProviderKit
import RedisClient
import RedisStore
import ServiceHost
import ServiceKit
import Topics

extension APNsSender {
    /// Workers come last and are stopped first: their work still needs the ledger and the connections to Apple.
    static func build(
        _ context: ServiceContext, configuration: APNsSenderConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let apps = await context.openApps(configuration.apps)
        let gateways = APNsGateways(
            configuration.apns, environment: environment
        ) { apps.current.app($0) }
        let redis = context.makeLaneClients()
        environment.health.addReadinessCheck("ledger") { redis.readiness }
        let halts = AppHalts(
            patience: configuration.credentialsPatience, time: environment.time, log: environment.log,
            metrics: environment.metrics)
        environment.health.addRemark("sending") { halts.detail.isEmpty ? nil : halts.detail }
        let outages = OutageWatch(
            RedisProviderOutages(StoreConnection(redis[.fast])), pauses: configuration.outagePauses,
            probeLease: configuration.apns.claimLease, time: environment.time, random: environment.random,
            log: environment.log, metrics: environment.metrics)
        environment.health.addRemark("outages") { outages.detail.isEmpty ? nil : outages.detail }
        let breakers = DeletionBreakers(time: environment.time)
        let witness = context.openWitness(redis[.fast])
        let workers = [Lane.bulk, .fast].map { lane in
            let handler = DispatchHandler(
                ledger: RedisLedger(StoreConnection(redis[lane]), witness: witness), gateways: gateways, halts: halts,
                outages: outages, breakers: breakers, witness: witness, lease: configuration.apns.claimLease,
                random: environment.random,
                metrics: environment.metrics)
            return context.worker(options(lane), concurrency: configuration.concurrency, handler: handler)
        }
        return [SharedResources { await redis.close() }, apps, gateways, context.watch(witness)] + workers
    }

    /// The order of chunks does not matter, and one that waits for Apple must not block those behind it. A delivery is
    /// as large as one chunk of a broadcast, so that little is repeated after a crash.
    private static func options(_ lane: Lane) -> ConsumerOptions {
        ConsumerOptions(
            channel: Topics.dispatchAPNs.channel(lane), group: "apns-sender", order: .none, batchMessagesMaximum: 64,
            batchBytesMaximum: 128 << 10)
    }
}
