package import Bus
package import RedisClient
package import ServiceKit
package import Topics

/// The embedded bus: Redis Streams as partitions, for a single machine.
///
/// Only as durable as Redis: run it with an append-only file and `appendfsync always`, or acknowledged messages can be
/// lost with the machine or the process. `readiness` reports if it is not.
package final class RedisBus: Bus {
    private let shared: RedisBusShared
    private let redis: RedisConfiguration
    private let metrics: Metrics
    private let health: Health

    package init(
        redis: RedisConfiguration, _ configuration: RedisBusConfiguration, log: Log, metrics: Metrics, health: Health,
        time: any TimeSource, random: any RandomSource
    ) {
        // Reconnects in time to renew: after an outage no consumer takes over partitions for the time of a lease.
        var redis = redis
        let longest = min(redis.reconnectBackoff.longest, configuration.lease / 4)
        redis.reconnectBackoff = Backoff(first: min(redis.reconnectBackoff.first, longest), longest: longest)
        self.redis = redis
        self.metrics = metrics
        self.health = health
        shared = RedisBusShared(
            client: RedisClient(redis, log: log, metrics: metrics, time: time, random: random),
            configuration: configuration, log: log, metrics: metrics, time: time, random: random)
    }

    package func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        RedisProducer(shared: shared, options: options, client: makeClient(connections: redis.connections))
    }

    package func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        let count = try await shared.partitionCount(of: options.channel)
        return RedisConsumer(
            shared: shared, options: options, partitionCount: count, reading: makeClient(connections: 1),
            health: health)
    }

    package func makeLogReader(
        _ channel: Channel, _ options: LogReaderOptions
    ) async throws(BusError) -> any BusLogReader {
        let client = makeClient(connections: 1)
        do throws(BusError) {
            let count = try await shared.partitionCount(of: channel)
            return try await RedisLogReader(channel, options, partitionCount: count, client: client)
        } catch {
            await client.close()
            throw error
        }
    }

    func partitionCount(of channel: Channel) async throws(BusError) -> Int {
        try await shared.partitionCount(of: channel)
    }

    func send(_ commands: [RedisCommand]) async -> [Result<RedisValue, RedisError>] {
        await shared.client.send(commands)
    }

    /// Redis executes a connection's commands one after another and sends a long reply in pieces: a worker of the fast
    /// lane must not wait behind half a megabyte for the bulk lane.
    private func makeClient(connections: Int) -> RedisClient {
        var own = redis
        own.connections = connections
        return RedisClient(own, log: shared.log, metrics: metrics, time: shared.time, random: shared.random)
    }

    package func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        for number in 0..<(try await shared.partitionCount(of: channel)) {
            let partition = PartitionID(channel: channel.name, number: Int32(number))
            var start = "-"
            while let page = try await page(of: partition, from: start), !page.isEmpty {
                for entry in page {
                    for message in try entry.messages(of: partition) {
                        guard try await visit(message) else { return }
                    }
                    start = "(\(entry.nextOffset)-0"
                }
            }
        }
    }

    /// Only a few entries, since each may hold half a megabyte.
    private func page(of partition: PartitionID, from start: String) async throws -> [RedisStreamEntry]? {
        let reply = try await shared.client.send(
            RedisCommand("XRANGE", RedisBusKeys.log(partition), RedisArgument(start), "+", "COUNT", "8"))
        return reply.array?.compactMap { RedisStreamEntry($0) }
    }

    package func readiness() async -> Health.Readiness {
        do {
            try await shared.client.checkAnswers()
        } catch {
            return .notReady("Redis does not answer: \(error)")
        }
        do {
            let durability = try await shared.client.durability()
            guard durability == .ready else { return durability }
            let facts = try await shared.client.send(
                RedisCommand("INFO", "replication", "cluster"), deadline: RedisClient.questionDeadline)
            return RedisBus.readiness(ofServer: facts.string ?? "")
        } catch  where error.code == .reply("NOPERM") || error.code == .reply("ERR") {
            // As with durability: a managed server may hide this.
            return .ready
        } catch {
            return .notReady("Redis does not answer: \(error)")
        }
    }

    /// Detects from `INFO` a server that answers but cannot be used as a bus.
    static func readiness(ofServer facts: String) -> Health.Readiness {
        if facts.contains("role:slave") {
            return .notReady("Redis is a replica, which refuses writes: use the address of its primary")
        }
        if facts.contains("cluster_enabled:1") {
            return .notReady("Redis is part of a cluster: use a single server for the embedded bus, or use Kafka")
        }
        return .ready
    }

    package func close() async {
        await shared.client.close()
    }
}
