package import Bus
import RedisClient
import Topics

extension RedisBus {
    /// A group without progress has handled nothing; what was removed from the log does not wait for it.
    package func backlog(of readers: [BusReader]) async throws(BusError) -> [BusReader: Int] {
        var partitions: [(reader: BusReader, partition: PartitionID)] = []
        for reader in readers {
            let count = try await partitionCount(of: reader.channel)
            partitions += (0..<Int32(count)).map { number in
                (reader, PartitionID(channel: reader.channel.name, number: number))
            }
        }
        let replies = await send(
            partitions.map { reader, partition in
                RedisCommand(
                    "HMGET", RedisBusKeys.state(partition), "next", "removed", RedisArgument("done:\(reader.group)"))
            })
        var backlog: [BusReader: Int] = [:]
        for (place, reply) in zip(partitions, replies) {
            backlog[place.reader, default: 0] += try RedisBus.waiting(reply)
        }
        return backlog
    }

    private static func waiting(_ reply: Result<RedisValue, RedisError>) throws(BusError) -> Int {
        switch reply {
        case .failure(let error):
            throw BusError(.unavailable, message: "cannot read the progress of groups: \(error)")
        case .success(let value):
            let numbers = (value.array ?? []).map { $0.integer ?? 0 }
            guard numbers.count == 3 else { return 0 }
            return Int(max(0, numbers[0] - max(numbers[1], numbers[2])))
        }
    }
}
