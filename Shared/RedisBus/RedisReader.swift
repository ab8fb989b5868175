import Bus
import RedisClient
import ServiceKit
import Topics

/// Fetches entries of one consumer's partitions and offers them to the mailbox while there is room. Runs on a native
/// thread and a connection of its own, since its reads block.
struct RedisReader {
    private let shared: RedisBusShared
    private let options: ConsumerOptions
    private let client: RedisClient
    private let mailbox: Mailbox
    private let tenures: Monitor<RedisTenures>
    private let pulse: Pulse
    private let gaps: Counter

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
        gaps = shared.meters.group(options.group, of: options.channel.name).gaps
    }

    func run(until isClosing: @Sendable () -> Bool) {
        var fetched: [Fetched] = []
        var patience = ReadPatience()
        while !isClosing() {
            pulse.tick()
            // Decodes the previous reply while Redis serves the next request.
            let asked = ask(within: fetched.isEmpty ? .milliseconds(500) : .zero, waiting: &patience, isClosing)
            for each in fetched { offer(each) }
            fetched = []
            guard let asked else { continue }
            switch asked.answer.wait(timeout: ReadPatience.longest + .seconds(10), until: { $0 }) {
            case .success(let value): fetched = note(value, from: asked.reading)
            case .failure(let error):
                guard !isClosing() else { continue }
                shared.log.warning(
                    "read from Redis failed", [.topic: options.channel.name, .group: options.group, .error: "\(error)"])
                _ = tenures.wait(timeout: .milliseconds(200)) { _ in isClosing() ? true : nil }
            case nil: continue
            }
        }
        pulse.rest()
    }

    /// An entry that was read and not yet decoded.
    private struct Fetched {
        let entry: RedisStreamEntry
        let partition: PartitionID
        let tenure: Int
    }

    private struct Asked {
        let reading: [RedisTenures.Reading]
        let answer: Monitor<Result<RedisValue, RedisError>?>
    }

    /// Nil if there was nothing to request within the limit.
    private func ask(within limit: Duration, waiting patience: inout ReadPatience, _ isClosing: () -> Bool) -> Asked? {
        let (reading, areAll) = awaitSomethingToRead(within: limit, isClosing)
        guard !reading.isEmpty else { return nil }
        let asked = Asked(reading: reading, answer: Monitor(nil))
        let wait = patience.next(for: reading, areAll: areAll)
        client.submit(command(for: reading, wait), deadline: wait + .seconds(5)) { result in
            asked.answer.change { $0 = result }
        }
        return asked
    }

    /// The held partitions that have room, and whether these are all held ones.
    private func awaitSomethingToRead(
        within limit: Duration, _ isClosing: () -> Bool
    ) -> (reading: [RedisTenures.Reading], areAll: Bool) {
        let held = tenures.wait(timeout: limit) { tenures in
            tenures.reading.isEmpty && !isClosing() ? nil : tenures.reading
        }
        guard let held, !held.isEmpty else { return ([], true) }
        var ready: [RedisTenures.Reading] = []
        _ = mailbox.wait(timeout: limit) { inbox in
            let resting = inbox.updateResting()
            ready = inbox.updatePause() ? [] : held.filter { !resting.contains(partition($0.number)) }
            return isClosing() || !ready.isEmpty
        }
        return (ready, ready.count == held.count)
    }

    private func command(for reading: [RedisTenures.Reading], _ wait: Duration) -> RedisCommand {
        var parts: [RedisArgument] = [
            "XREAD", "COUNT", "4", "BLOCK", RedisArgument(wait.wholeMilliseconds), "STREAMS",
        ]
        parts += reading.map { RedisBusKeys.log(partition($0.number)) }
        parts += reading.map { RedisArgument("\($0.position)-\(UInt64.max)") }
        return RedisCommand(parts)
    }

    /// The reply is a list of streams, each its key and its entries. Positions advance immediately, so that the next
    /// request can be sent before the entries are decoded.
    private func note(_ value: RedisValue, from reading: [RedisTenures.Reading]) -> [Fetched] {
        var readings: [String: RedisTenures.Reading] = [:]
        for each in reading { readings[RedisBusKeys.logName(partition(each.number))] = each }
        var noted: [Fetched] = []
        for stream in value.array ?? [] {
            guard let parts = stream.array, parts.count == 2, let key = parts[0].string, let reading = readings[key]
            else { continue }
            for value in parts[1].array ?? [] {
                guard let entry = RedisStreamEntry(value) else {
                    alarm(partition(reading.number), reason: "entry without an offset")
                    continue
                }
                if let version = entry.laterVersion {
                    holdBack(reading, before: entry, of: version)
                    break
                }
                // The keeper releases the partition and acquires it again.
                if tenures.change({ $0.findRewritten(reading.number, fence: reading.fence, by: entry) }) { break }
                let tenure = tenures.withLock { tenures in
                    tenures.note(
                        reading.number, fence: reading.fence, nextOffset: entry.nextOffset, bytes: entry.bytesUpToHere,
                        mark: entry.mark)
                }
                guard let tenure else { continue }
                noted.append(Fetched(entry: entry, partition: partition(reading.number), tenure: tenure))
            }
        }
        return noted
    }

    /// During a rolling upgrade or downgrade: a process of the later version continues with the partition.
    private func holdBack(_ reading: RedisTenures.Reading, before entry: RedisStreamEntry, of version: UInt8) {
        guard tenures.change({ $0.holdBack(reading.number, fence: reading.fence) }) else { return }
        shared.log.error(
            "partition held back: a later version of Carillon wrote the next entry",
            [
                .topic: options.channel.name, .partition: "\(reading.number)", .group: options.group,
                .reason: "entry \(entry.nextOffset) is of version \(version)",
            ])
    }

    private func offer(_ fetched: Fetched) {
        let (entry, partition) = (fetched.entry, fetched.partition)
        do {
            let messages = try entry.messages(of: partition)
            let missing = mailbox.change { $0.offerUnseen(messages, to: partition, tenure: fetched.tenure) }
            guard missing > 0, options.channel.declaration.kind.isWork else { return }
            alarm(
                partition, reason: "\(missing) messages missing before offset \(entry.nextOffset)", count: Int(missing))
        } catch {
            alarm(partition, reason: "invalid entry \(entry.nextOffset): \(error)")
        }
    }

    private func alarm(_ partition: PartitionID, reason: String, count: Int = 1) {
        gaps.increment(by: count)
        shared.log.error(
            "data lost on the bus",
            [.topic: partition.channel, .partition: "\(partition.number)", .group: options.group, .reason: reason])
    }

    private func partition(_ number: Int32) -> PartitionID {
        PartitionID(channel: options.channel.name, number: number)
    }
}
