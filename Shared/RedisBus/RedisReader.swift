import Bus
import RedisClient
import ServiceKit
import Topics

/// Fetches what the partitions of one consumer hold and offers it to the mailbox, as long as there is room. Runs on a
/// native thread of its own, over a connection of its own, since its reads block.
struct RedisReader {
    private let shared: RedisBusShared
    private let options: ConsumerOptions
    private let client: RedisClient
    private let mailbox: Mailbox
    private let tenures: Monitor<RedisTenures>
    private let pulse: Pulse
    private let gaps: Counter
    /// How long a read waits in Redis for something new; also how late a new partition is noticed at the most.
    private let patience = Duration.milliseconds(100)

    init(
        shared: RedisBusShared, options: ConsumerOptions, client: RedisClient, mailbox: Mailbox,
        tenures: Monitor<RedisTenures>, pulse: Pulse
    ) {
        self.shared = shared
        self.options = options
        self.client = client
        self.mailbox = mailbox
        self.tenures = tenures
        self.pulse = pulse
        gaps = shared.meters.gaps(options.channel.name)
    }

    func run(until isClosing: @Sendable () -> Bool) {
        while !isClosing() {
            pulse.tick()
            guard awaitRoom(isClosing), awaitPartitions(isClosing) else { continue }
            let reading = tenures.withLock { $0.reading }
            guard !reading.isEmpty else { continue }
            switch client.wait(command(for: reading), deadline: patience + .seconds(5)) {
            case .success(let value): take(value, from: reading)
            case .failure(let error):
                shared.log.warning(
                    "nothing can be read", [.topic: options.channel.name, .group: options.group, .error: "\(error)"])
                _ = tenures.wait(timeout: .milliseconds(200)) { _ in isClosing() ? true : nil }
            }
        }
        pulse.rest()
    }

    private func awaitRoom(_ isClosing: () -> Bool) -> Bool {
        guard mailbox.change({ $0.updatePause() }) else { return true }
        _ = mailbox.wait(timeout: .seconds(1)) { inbox in
            isClosing() || inbox.bufferedBytes <= options.bufferBytesMaximum / 2
        }
        return false
    }

    private func awaitPartitions(_ isClosing: () -> Bool) -> Bool {
        tenures.wait(timeout: .seconds(1)) { tenures in
            !tenures.reading.isEmpty || isClosing() ? true : nil
        } ?? false
    }

    private func command(for reading: [(number: Int32, fence: Int64, position: Int64)]) -> RedisCommand {
        var parts: [RedisArgument] = [
            "XREAD", "COUNT", "4", "BLOCK", RedisArgument(patience.wholeMilliseconds), "STREAMS",
        ]
        parts += reading.map { RedisBusKeys.log(partition($0.number)) }
        parts += reading.map { RedisArgument("\($0.position)-0") }
        return RedisCommand(parts)
    }

    /// The reply is a list of streams, each its key and its entries.
    private func take(_ value: RedisValue, from reading: [(number: Int32, fence: Int64, position: Int64)]) {
        var fences: [String: (number: Int32, fence: Int64)] = [:]
        for (number, fence, _) in reading { fences[RedisBusKeys.logName(partition(number))] = (number, fence) }
        for stream in value.array ?? [] {
            guard let parts = stream.array, parts.count == 2, let key = parts[0].string, let tenure = fences[key] else {
                continue
            }
            for entry in parts[1].array ?? [] { take(entry, tenure.number, fence: tenure.fence) }
        }
    }

    private func take(_ value: RedisValue, _ number: Int32, fence: Int64) {
        let partition = partition(number)
        guard let entry = RedisStreamEntry(value) else {
            return alarm(partition, "an entry that this bus did not write")
        }
        let isOurs = tenures.withLock { tenures in
            tenures.note(number, fence: fence, nextOffset: entry.nextOffset, bytes: entry.bytesUpToHere)
        }
        guard isOurs else { return }
        do {
            let messages = try MessageBatch.decode(entry.batch, partition: partition, nextOffset: entry.nextOffset)
            let missing = mailbox.change { $0.offerUnseen(messages, to: partition) }
            if missing > 0 { alarm(partition, "\(missing) messages are missing before \(entry.nextOffset)") }
        } catch {
            alarm(partition, "entry \(entry.nextOffset) cannot be read: \(error)")
        }
    }

    private func alarm(_ partition: PartitionID, _ reason: String) {
        gaps.increment()
        shared.log.error(
            "data lost on the bus",
            [.topic: partition.channel, .partition: "\(partition.number)", .group: options.group, .reason: reason])
    }

    private func partition(_ number: Int32) -> PartitionID {
        PartitionID(channel: options.channel.name, number: number)
    }
}

/// One entry of a partition's stream: `[id, [b, batch, c, bytes, t, time]]`.
struct RedisStreamEntry {
    let nextOffset: Int64
    let batch: [UInt8]
    let bytesUpToHere: Int64

    init?(_ value: RedisValue) {
        guard let parts = value.array, parts.count == 2, let id = parts[0].string, let fields = parts[1].array,
            fields.count >= 4, let nextOffset = id.split(separator: "-").first.flatMap({ Int64($0) }),
            let batch = fields[1].bytes, let bytes = fields[3].integer
        else { return nil }
        self.nextOffset = nextOffset
        self.batch = batch
        bytesUpToHere = bytes
    }
}
