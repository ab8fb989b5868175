import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// State shared by the producers and consumers of one bus.
final class RedisBusShared: Sendable {
    let client: RedisClient
    let configuration: RedisBusConfiguration
    let memory: RedisMemoryWatch
    let meters: RedisBusMeters
    let watch: DeadlineWatch
    let budget: SendBudget
    let log: Log
    let time: any TimeSource
    let random: any RandomSource
    private let partitionCounts = Mutex<[String: Int]>([:])

    init(
        client: RedisClient, configuration: RedisBusConfiguration, log: Log, metrics: Metrics, time: any TimeSource,
        random: any RandomSource
    ) {
        self.client = client
        self.configuration = configuration
        self.log = log
        self.time = time
        self.random = random
        memory = RedisMemoryWatch(client: client, time: time)
        meters = RedisBusMeters(metrics)
        watch = DeadlineWatch(time: time)
        budget = SendBudget(bytesMaximum: configuration.sendBytesMaximum, watch: watch)
    }

    /// Upper bound on how long a service that is stopped while it waits for Redis is delayed by this request.
    static let patience = Duration.seconds(1)

    /// The number that the topic's first user set; a later default does not move keys to other partitions.
    func partitionCount(of channel: Channel, within limit: Duration = patience) async throws(BusError) -> Int {
        if let known = partitionCounts.withLock({ $0[channel.name] }) { return known }
        let reply: RedisValue
        do {
            reply = try await client.run(
                RedisBusScripts.partitionCount, keys: [RedisBusKeys.partitionCount(channel: channel.name)],
                arguments: [RedisArgument(channel.declaration.partitions.embedded)],
                deadline: min(limit, Self.patience))
        } catch {
            throw BusError(.unavailable, message: "cannot read the partition count of \(channel.name): \(error)")
        }
        guard let count = reply.integer, (1...1_024).contains(count) else {
            throw BusError(
                .refused, message: "invalid partition count of \(channel.name) in Redis: \(reply)")
        }
        partitionCounts.withLock { $0[channel.name] = Int(count) }
        return Int(count)
    }

    /// A partition's share of the bound of its topic or lane.
    func bytesMaximum(of channel: Channel, _ total: Int) -> Int {
        max(1, total / max(1, partitionCounts.withLock { $0[channel.name] ?? 1 }))
    }
}
