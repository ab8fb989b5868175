import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// Appends messages to partitions and waits until Redis has them on disk.
final class RedisProducer: BusProducer {
    private struct Part {
        let pipe: AppendPipe
        var frames: [UInt8] = []
        var count = 0
        var valueBytes = 0
    }

    private let shared: RedisBusShared
    private let options: ProducerOptions
    private let pipes = Mutex<[PartitionID: AppendPipe]>([:])
    private let sends = Mutex<(open: Int, isClosed: Bool)>((0, false))
    private let drained = OneTimeEvent()
    private let spread = Atomic<Int>(0)

    init(shared: RedisBusShared, options: ProducerOptions) {
        self.shared = shared
        self.options = options
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) {
        try messages.checkSizes()
        try enter()
        defer { leave() }
        let deadline = shared.time.uptime + options.patience
        let parts = try await split(messages)
        guard !parts.isEmpty else { return }
        let bytes = parts.reduce(0) { $0 + $1.frames.count }
        try await shared.budget.take(bytes, until: deadline)
        defer { shared.budget.giveBack(bytes) }

        let ticket = SendTicket(parts: parts.count)
        let expiry = shared.watch.add(deadline) { [patience = options.patience] in
            ticket.expire(
                parts.lazy.compactMap(\.pipe.lastRefusal).first
                    ?? BusError(.unavailable, "Redis did not answer within \(DurationText.print(patience))"))
        }
        defer { shared.watch.remove(expiry) }
        for part in parts {
            part.pipe.add(
                AppendQueue.Parcel(
                    frames: part.frames, count: part.count, valueBytes: part.valueBytes, ticket: ticket,
                    deadline: deadline))
        }
        try await ticket.wait()
    }

    /// Each send ends by itself within its patience.
    func close() async {
        let isIdle = sends.withLock { sends in
            sends.isClosed = true
            return sends.open == 0
        }
        if isIdle { drained.happen() }
        await drained.wait()
    }

    private func enter() throws(BusError) {
        let isOpen = sends.withLock { sends in
            if !sends.isClosed { sends.open += 1 }
            return !sends.isClosed
        }
        guard isOpen else { throw BusError(.closed, "the producer is closed") }
    }

    private func leave() {
        let isLast = sends.withLock { sends in
            sends.open -= 1
            return sends.isClosed && sends.open == 0
        }
        if isLast { drained.happen() }
    }

    private static let partBytesMaximum = 256 << 10

    /// Frames the messages and gathers them by partition, cut where a batch would grow too large.
    private func split(_ messages: [OutgoingMessage]) async throws(BusError) -> [Part] {
        let now = shared.time.now
        var open: [PartitionID: Part] = [:]
        var parts: [Part] = []
        for message in messages {
            let partition = try await place(of: message)
            var part = open.removeValue(forKey: partition) ?? Part(pipe: pipe(for: partition, of: message.channel))
            if part.count > 0, part.frames.count + message.cost > Self.partBytesMaximum {
                parts.append(part)
                part = Part(pipe: part.pipe)
            }
            MessageBatch.append(message, now: now, to: &part.frames)
            part.count += 1
            part.valueBytes += message.value.count
            open[partition] = part
        }
        return parts + open.values
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
            let made = AppendPipe(partition: partition, channel: channel, shared: shared)
            pipes[partition] = made
            return made
        }
    }
}
