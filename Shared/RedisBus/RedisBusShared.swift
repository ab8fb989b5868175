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
    let log: Log
    let time: any TimeSource
    let random: any RandomSource
    private let partitionCounts = Mutex<[String: Int]>([:])
    /// A service that is told to stop while it still waits for Redis waits for this question at the most.
    private let patience = Duration.seconds(1)

    init(
        client: RedisClient, configuration: RedisBusConfiguration, log: Log, metrics: Metrics, time: any TimeSource,
        random: any RandomSource
    ) {
        self.client = client
        self.configuration = configuration
        self.log = log
        self.time = time
        self.random = random
        memory = RedisMemoryWatch(client: client, percentMaximum: configuration.memoryPercentMaximum, time: time)
        meters = RedisBusMeters(metrics)
    }

    /// As many as the first who touched the topic made; a later default does not move the keys of messages.
    func partitionCount(of channel: Channel) async throws(BusError) -> Int {
        if let known = partitionCounts.withLock({ $0[channel.name] }) { return known }
        let key = RedisBusKeys.partitionCount(channel: channel.name)
        let wanted = channel.declaration.partitions.embedded
        do {
            let former = try await client.send(
                RedisCommand("SET", key, RedisArgument(wanted), "NX", "GET"), deadline: patience)
            let count = Int(former.integer ?? Int64(wanted))
            partitionCounts.withLock { $0[channel.name] = count }
            return count
        } catch {
            throw BusError(.unavailable, "the partitions of \(channel.name) could not be read: \(error)")
        }
    }

    /// A partition's share of what its topic or lane may hold.
    func bytesMaximum(of channel: Channel, _ total: Int) -> Int {
        max(1, total / max(1, partitionCounts.withLock { $0[channel.name] ?? 1 }))
    }
}

struct RedisBusMeters: Sendable {
    private let metrics: Metrics

    init(_ metrics: Metrics) {
        self.metrics = metrics
    }

    func produced(_ channel: String, messages: Int, bytes: Int) {
        metrics.counter(.busMessagesProduced, ["topic": channel]).increment(by: messages)
        metrics.counter(.busBytesProduced, ["topic": channel]).increment(by: bytes)
    }

    func waits(_ channel: String) -> Counter { metrics.counter(.busProducerWaits, ["topic": channel]) }
    func gaps(_ channel: String) -> Counter { metrics.counter(.busOffsetGaps, ["topic": channel]) }

    func leasesLost(_ channel: String, _ group: String) -> Counter {
        metrics.counter(.busLeasesLost, ["topic": channel, "group": group])
    }

    func assigned(_ channel: String, _ group: String) -> Gauge {
        metrics.gauge(.busPartitionsAssigned, ["topic": channel, "group": group])
    }

    func buffered(_ channel: String, _ group: String) -> Gauge {
        metrics.gauge(.busBytesBuffered, ["topic": channel, "group": group])
    }
}

extension TopicDeclaration {
    /// How old a message of a log may grow; what is compacted stays.
    var ageMaximum: Duration {
        switch cleanup {
        case .age(let days): .seconds(days * 86_400)
        case .compaction: .seconds(Int64(100) * 365 * 86_400)
        }
    }
}
