import Apps
package import Bus
package import RedisStore
package import ServiceHost
package import ServiceKit
import Store
package import Topics

extension ServiceContext {
    /// The services of a sender with these providers. `group` is its consumer group; `lease` must be longer than a push
    /// may take. Workers come last and are stopped first: their work still needs the ledger and the connections to the
    /// providers.
    package func makeSender(
        of family: DispatchFamily, group: String, configuration: SenderConfiguration, lease: Duration,
        providers: (StoreConnection) async throws -> [any PushProvider]
    ) async rethrows -> [any Service] {
        let apps = await openApps(configuration.apps)
        let redis = makeLaneClients()
        environment.health.addReadinessCheck("ledger") { redis.readiness }
        let providers = try await providers(StoreConnection(redis[.fast]))
        let gateways = AppGateways(providers, time: environment.time) { apps.current.app($0) }
        let witness = openWitness(redis[.fast])
        let handler = dispatchHandlers(
            gateways, redis: redis, witness: witness, configuration: configuration, lease: lease)
        // Each lane has a worker of its own, so that a single push never waits behind a broadcast; at the gate of its
        // app the fast lane goes first.
        let workers = [Lane.bulk, .fast].map { lane in
            worker(
                ConsumerOptions(dispatchesOf: family, lane: lane, group: group), concurrency: configuration.concurrency,
                handler: handler(lane))
        }
        return [SharedResources { await redis.close() }, apps, gateways, watch(witness)]
            + providers.flatMap { $0.services(for: apps) } + workers
    }

    /// A handler for each lane; what they know about apps and providers is shared.
    private func dispatchHandlers(
        _ gateways: AppGateways, redis: LaneClients, witness: RedisWitness, configuration: SenderConfiguration,
        lease: Duration
    ) -> (Lane) -> DispatchHandler {
        let halts = AppHalts(
            patience: configuration.credentialsPatience, time: environment.time, log: environment.log,
            metrics: environment.metrics)
        environment.health.addRemark("sending") { halts.detail.isEmpty ? nil : halts.detail }
        let outages = OutageWatch(
            RedisProviderOutages(StoreConnection(redis[.fast])), pauses: configuration.outagePauses, probeLease: lease,
            time: environment.time, random: environment.random, log: environment.log, metrics: environment.metrics)
        environment.health.addRemark("outages") { outages.detail.isEmpty ? nil : outages.detail }
        let breakers = DeletionBreakers(time: environment.time)
        let activities = ActivityWatch(RedisActivityClocks(StoreConnection(redis[.fast])), time: environment.time)
        let pacer = PushPacer(RedisPushPacing(StoreConnection(redis[.fast])), time: environment.time)
        return { lane in
            DispatchHandler(
                ledger: RedisLedger(StoreConnection(redis[lane]), witness: witness), gateways: gateways, halts: halts,
                outages: outages, breakers: breakers, witness: witness, pacer: pacer, activities: activities,
                lease: lease, random: environment.random, metrics: environment.metrics)
        }
    }
}

extension ConsumerOptions {
    /// The order of chunks does not matter, and one that waits for a provider must not block those behind it. A
    /// delivery is as large as one chunk of a broadcast, so that little is repeated after a crash.
    package init(dispatchesOf family: DispatchFamily, lane: Lane, group: String) {
        self.init(
            channel: family.topic.channel(lane), group: group, order: .none, batchMessagesMaximum: 64,
            batchBytesMaximum: 128 << 10)
    }
}
