package import Bus
import RedisClient
import Topics

extension RedisBus {
    /// A group that has not begun has handled nothing; what was removed from the log does not wait for it.
    package func progress(of readers: [BusReader]) async throws(BusError) -> [BusReader: GroupProgress] {
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
        var progress: [BusReader: GroupProgress] = [:]
        for (place, reply) in zip(partitions, replies) {
            let part = try RedisBus.progress(reply)
            progress[place.reader, default: GroupProgress(waiting: 0, handled: 0)].add(part)
        }
        return progress
    }

    /// Of one partition; its group's offset is the number of messages before it.
    private static func progress(_ reply: Result<RedisValue, RedisError>) throws(BusError) -> GroupProgress {
        switch reply {
        case .failure(let error):
            throw BusError(.unavailable, message: "cannot read the progress of groups: \(error)")
        case .success(let value):
            let numbers = (value.array ?? []).map { $0.integer ?? 0 }
            guard numbers.count == 3 else { return GroupProgress(waiting: 0, handled: nil) }
            let (next, removed, done) = (Int(numbers[0]), Int(numbers[1]), Int(numbers[2]))
            return GroupProgress(waiting: max(0, next - max(removed, done)), handled: done)
        }
    }
}
