import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// What the producers and consumers of one bus have in common.
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

    /// A service that is told to stop while it still waits for Redis waits for this question at the most.
    static let patience = Duration.seconds(1)

    /// As many as the first who touched the topic wanted; a later default does not move the keys of messages.
    func partitionCount(of channel: Channel, within limit: Duration = patience) async throws(BusError) -> Int {
        if let known = partitionCounts.withLock({ $0[channel.name] }) { return known }
        let reply: RedisValue
        do {
            reply = try await client.run(
                RedisBusScripts.partitionCount, keys: [RedisBusKeys.partitionCount(channel: channel.name)],
                arguments: [RedisArgument(channel.declaration.partitions.embedded)],
                deadline: min(limit, Self.patience))
        } catch {
            throw BusError(.unavailable, message: "the partitions of \(channel.name) could not be read: \(error)")
        }
        guard let count = reply.integer, (1...1_024).contains(count) else {
            throw BusError(
                .refused, message: "Redis says that \(channel.name) has \(reply) partitions, which cannot be")
        }
        partitionCounts.withLock { $0[channel.name] = Int(count) }
        return Int(count)
    }

    /// A partition's share of what its topic or lane may hold.
    func bytesMaximum(of channel: Channel, _ total: Int) -> Int {
        max(1, total / max(1, partitionCounts.withLock { $0[channel.name] ?? 1 }))
    }
}
