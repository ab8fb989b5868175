import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// Reads the streams of a channel over a connection of its own, since its reads block. Nothing in Redis knows of it.
final class RedisLogReader: BusLogReader {
    private static let patience = Duration.milliseconds(500)

    fileprivate struct State {
        var positions: LogPositions
        /// The entry of each partition that was read last; nil if a version wrote it that does not note it.
        var marks: [Int32: RedisStreamEntry.Mark] = [:]
    }

    let held: [Int32: Range<Int64>]
    private let channel: Channel
    private let client: RedisClient
    private let state: Mutex<State>

    /// The client belongs to the reader and is closed with it.
    init(
        _ channel: Channel, _ options: LogReaderOptions, partitionCount: Int, client: RedisClient
    ) async throws(BusError) {
        self.channel = channel
        self.client = client
        var held: [Int32: Range<Int64>] = [:]
        for number in 0..<Int32(partitionCount) {
            held[number] = try await RedisLogReader.held(PartitionID(channel: channel.name, number: number), client)
        }
        self.held = held
        state = Mutex(State(positions: LogPositions(held, options, topic: channel.name)))
    }

    func next() async throws(BusError) -> [IncomingMessage] {
        let streams: [RedisValue]
        do {
            streams = try await client.send(command, deadline: RedisLogReader.patience + .seconds(5)).array ?? []
        } catch {
            throw BusError(.unavailable, message: "cannot read \(channel.name): \(error)")
        }
        guard !streams.isEmpty else {
            try await checkEnds()
            return []
        }
        return try state.withLock { state throws(BusError) in
            var messages: [IncomingMessage] = []
            for number in state.positions.partitions {
                let key = RedisBusKeys.logName(partition(number))
                let stream = streams.first { $0.array?.first?.string == key }
                for value in stream?.array?.dropFirst().first?.array ?? [] {
                    messages += try state.take(value, of: partition(number))
                }
            }
            return messages
        }
    }

    func close() async {
        await client.close()
    }

    private var command: RedisCommand {
        let positions = state.withLock { $0.positions }
        var parts: [RedisArgument] = [
            "XREAD", "COUNT", "8", "BLOCK", RedisArgument(RedisLogReader.patience.wholeMilliseconds), "STREAMS",
        ]
        parts += positions.partitions.map { RedisBusKeys.log(partition($0)) }
        parts += positions.partitions.map { RedisArgument("\(positions[$0])-\(UInt64.max)") }
        return RedisCommand(parts)
    }

    /// A log that was lost, or restored from older data, is shorter than what was read, and would never be read again.
    private func checkEnds() async throws(BusError) {
        let positions = state.withLock { $0.positions }
        for number in positions.partitions {
            let end = try await RedisLogReader.held(partition(number), client).upperBound
            guard end >= positions[number] else {
                throw positions.replaced("partition \(number) ends at \(end) and was read up to \(positions[number])")
            }
        }
    }

    private func partition(_ number: Int32) -> PartitionID { PartitionID(channel: channel.name, number: number) }

    private static func held(_ partition: PartitionID, _ client: RedisClient) async throws(BusError) -> Range<Int64> {
        let values: [RedisValue]
        do {
            values =
                try await client.send(RedisCommand("HMGET", RedisBusKeys.state(partition), "removed", "next")).array
                ?? []
        } catch {
            throw BusError(.unavailable, message: "cannot read the state of \(partition): \(error)")
        }
        let bounds = values.map { $0.string.flatMap { Int64($0) } ?? 0 }
        guard bounds.count == 2, bounds[0] >= 0, bounds[0] <= bounds[1] else {
            throw BusError(.refused, message: "invalid state of \(partition) in Redis")
        }
        return bounds[0]..<bounds[1]
    }
}

extension RedisLogReader.State {
    fileprivate mutating func take(
        _ value: RedisValue, of partition: PartitionID
    ) throws(BusError) -> [IncomingMessage] {
        guard let entry = RedisStreamEntry(value) else {
            throw BusError(.refused, message: "\(partition) has an entry without an offset")
        }
        if let version = entry.laterVersion {
            throw BusError(
                .refused, message: "a version of Carillon wrote \(partition) that writes entries of \(version)")
        }
        if let mark = marks[partition.number], let follows = entry.follows, follows != mark,
            !positions.skipsRemoved || follows.nextOffset <= mark.nextOffset
        {
            throw positions.replaced("another entry precedes \(entry.nextOffset) of partition \(partition.number)")
        }
        let messages: [IncomingMessage]
        do {
            messages = try entry.messages(of: partition)
        } catch {
            throw BusError(.refused, message: "invalid entry \(entry.nextOffset) of \(partition): \(error)")
        }
        marks[partition.number] = entry.mark
        return try positions.pass(messages)
    }
}
