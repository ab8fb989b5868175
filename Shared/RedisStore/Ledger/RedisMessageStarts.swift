import RedisClient
package import Store

/// Start counts in Redis: one hash for each partition.
package struct RedisMessageStarts: MessageStarts {
    private let redis: StoreConnection

    package init(_ redis: StoreConnection) {
        self.redis = redis
    }

    package func open(_ partition: ConsumedPartition, owner: String) async throws(StoreError) -> Bool {
        try await run(MessageStartsScripts.open, partition: partition, arguments: [RedisArgument(owner)]).integer == 1
    }

    package func begin(
        _ offsets: [Int64], of partition: ConsumedPartition, owner: String, regardless: Bool
    ) async throws(StoreError) -> [Int] {
        let answer = try await run(
            MessageStartsScripts.begin, partition: partition,
            arguments: [RedisArgument(owner), RedisArgument(regardless ? 1 : 0)] + arguments(offsets))
        let counts = answer.array?.compactMap(\.integer) ?? []
        guard counts.count == offsets.count else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode start counts")
        }
        return counts.map { Int($0) }
    }

    package func end(_ offsets: [Int64], of partition: ConsumedPartition) async throws(StoreError) {
        _ = try await run(MessageStartsScripts.end, partition: partition, arguments: arguments(offsets))
    }

    package func giveBack(
        _ offsets: [Int64], of partition: ConsumedPartition, owner: String
    ) async throws(StoreError) {
        _ = try await run(
            MessageStartsScripts.giveBack, partition: partition, arguments: [RedisArgument(owner)] + arguments(offsets))
    }

    package func close(
        _ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]
    ) async throws(StoreError) {
        _ = try await run(
            MessageStartsScripts.close, partition: partition, arguments: [RedisArgument(owner)] + arguments(offsets))
    }

    private func run(
        _ script: RedisScript, partition: ConsumedPartition, arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue {
        try await redis.run(script, keys: [RedisArgument("starts:{\(partition)}")], arguments: arguments)
    }

    private func arguments(_ offsets: [Int64]) -> [RedisArgument] { offsets.map { RedisArgument($0) } }
}
