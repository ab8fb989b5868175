import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// Appends messages to partitions and waits until Redis has them on disk.
final class RedisProducer: BusProducer {
    private let shared: RedisBusShared
    private let options: ProducerOptions
    private let pipes = Mutex<[PartitionID: AppendPipe]>([:])
    private let isClosed = Atomic<Bool>(false)
    private let spread = Atomic<Int>(0)

    init(shared: RedisBusShared, options: ProducerOptions) {
        self.shared = shared
        self.options = options
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) {
        try messages.checkSizes()
        guard !isClosed.load(ordering: .acquiring) else { throw BusError(.closed, "the producer is closed") }
        let parts = try await split(messages)
        guard !parts.isEmpty else { return }
        let ticket = SendTicket(parts: parts.count)
        let deadline = shared.time.uptime + options.patience
        for (pipe, frames, count) in parts {
            pipe.add(AppendQueue.Parcel(frames: frames, count: count, ticket: ticket, deadline: deadline))
        }
        try await ticket.wait()
        meter(messages)
    }

    /// Sends in flight end by themselves, each within its patience.
    func close() async {
        isClosed.store(true, ordering: .releasing)
    }

    private func meter(_ messages: [OutgoingMessage]) {
        var start = messages.startIndex
        while start < messages.endIndex {
            let name = messages[start].channel.name
            let run = messages[start...].prefix { $0.channel.name == name }
            shared.meters.produced(name, messages: run.count, bytes: run.reduce(0) { $0 + $1.value.count })
            start = run.endIndex
        }
    }

    /// Frames the messages and gathers them by partition, cut where a batch would grow too large.
    private func split(
        _ messages: [OutgoingMessage]
    ) async throws(BusError) -> [(pipe: AppendPipe, frames: [UInt8], count: Int)] {
        let now = shared.time.now
        var open: [PartitionID: (frames: [UInt8], count: Int)] = [:]
        var parts: [(pipe: AppendPipe, frames: [UInt8], count: Int)] = []
        var channels: [PartitionID: Channel] = [:]
        for message in messages {
            let partition = try await place(of: message)
            channels[partition] = message.channel
            let frame = MessageBatch.frame(message, now: now)
            let gathered = open[partition]?.frames.count ?? 0
            if gathered > 0, gathered + frame.count > Self.parcelBytesMaximum,
                let full = open.removeValue(forKey: partition)
            {
                parts.append((pipe(for: partition, of: message.channel), full.frames, full.count))
            }
            open[partition, default: ([], 0)].frames += frame
            open[partition, default: ([], 0)].count += 1
        }
        for (partition, rest) in open {
            guard let channel = channels[partition] else { continue }
            parts.append((pipe(for: partition, of: channel), rest.frames, rest.count))
        }
        return parts
    }

    private static let parcelBytesMaximum = 256 << 10

    private func place(of message: OutgoingMessage) async throws(BusError) -> PartitionID {
        let count = try await shared.partitionCount(of: message.channel)
        let number: Int32
        if let key = message.key {
            number = Partitioner.partition(ofKey: key, count: count)
        } else {
            number = Int32(spread.wrappingAdd(1, ordering: .relaxed).newValue.magnitude % UInt(count))
        }
        return PartitionID(channel: message.channel.name, number: number)
    }

    private func pipe(for partition: PartitionID, of channel: Channel) -> AppendPipe {
        pipes.withLock { pipes in
            if let known = pipes[partition] { return known }
            let made = AppendPipe(partition: partition, channel: channel, shared: shared)
            pipes[partition] = made
            return made
        }
    }
}
