import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// Appends messages to partitions and waits until Redis has written them to disk.
final class RedisProducer: BusProducer {
    private struct Part {
        let partition: Int32
        let pipe: AppendPipe
        var frames: [UInt8] = []
        var count = 0
        var valueBytes = 0
    }

    private let shared: RedisBusShared
    private let options: ProducerOptions
    private let client: RedisClient
    private let pipes = Mutex<[PartitionID: AppendPipe]>([:])
    private let sends = Mutex<(open: Int, isClosed: Bool)>((0, false))
    private let drained = OneTimeEvent()
    private let spread = Atomic<Int>(0)

    /// The client belongs to this producer and is closed with it.
    init(shared: RedisBusShared, options: ProducerOptions, client: RedisClient) {
        self.shared = shared
        self.options = options
        self.client = client
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        try messages.checkSizes()
        try enter()
        defer { leave() }
        let deadline = shared.time.uptime + options.patience
        let (parts, partOf) = try await split(messages)
        guard !parts.isEmpty else { return [] }
        let bytes = parts.reduce(0) { $0 + $1.frames.count }
        try await shared.budget.take(bytes, until: deadline)
        defer { shared.budget.giveBack(bytes) }

        let ticket = SendTicket(parts: parts.count)
        let expiry = shared.watch.add(deadline) { [patience = options.patience] in
            ticket.fail(
                parts.lazy.compactMap(\.pipe.lastRefusal).first
                    ?? BusError(.unavailable, message: "Redis did not answer within \(DurationText.print(patience))"))
        }
        defer { shared.watch.remove(expiry) }
        for (number, part) in parts.enumerated() {
            part.pipe.add(
                AppendQueue.Parcel(
                    frames: part.frames, count: part.count, valueBytes: part.valueBytes, ticket: ticket, part: number,
                    deadline: deadline))
        }
        var next = try await ticket.wait()
        return partOf.map { part in
            defer { next[part] += 1 }
            return MessagePosition(partition: parts[part].partition, offset: next[part])
        }
    }

    /// Each send ends within its patience.
    func close() async {
        let isIdle = sends.withLock { sends in
            sends.isClosed = true
            return sends.open == 0
        }
        if isIdle { drained.happen() }
        await drained.wait()
        await client.close()
    }

    private func enter() throws(BusError) {
        let isOpen = sends.withLock { sends in
            if !sends.isClosed { sends.open += 1 }
            return !sends.isClosed
        }
        guard isOpen else { throw BusError(.closed, message: "the producer is closed") }
    }

    private func leave() {
        let isLast = sends.withLock { sends in
            sends.open -= 1
            return sends.isClosed && sends.open == 0
        }
        if isLast { drained.happen() }
    }

    private static let partBytesMaximum = 256 << 10

    /// Frames the messages and groups them by partition, cut where a batch would grow too large. Returns for each
    /// message the index of its part.
    private func split(_ messages: [OutgoingMessage]) async throws(BusError) -> (parts: [Part], partOf: [Int]) {
        let now = shared.time.now
        var open: [PartitionID: Int] = [:]
        var parts: [Part] = []
        var partOf: [Int] = []
        partOf.reserveCapacity(messages.count)
        for message in messages {
            let partition = try await place(of: message)
            let known = open[partition]
            let part: Int
            if let known, parts[known].frames.count + message.cost <= Self.partBytesMaximum {
                part = known
            } else {
                let pipe = known.map { parts[$0].pipe } ?? pipe(for: partition, of: message.channel)
                part = parts.count
                parts.append(Part(partition: partition.number, pipe: pipe))
                open[partition] = part
            }
            MessageBatch.append(message, now: now, to: &parts[part].frames)
            parts[part].count += 1
            parts[part].valueBytes += message.value.count
            partOf.append(part)
        }
        return (parts, partOf)
    }

    private func place(of message: OutgoingMessage) async throws(BusError) -> PartitionID {
        let count = try await shared.partitionCount(of: message.channel, within: options.patience)
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
            let made = AppendPipe(partition: partition, channel: channel, shared: shared, client: client)
            pipes[partition] = made
            return made
        }
    }
}
