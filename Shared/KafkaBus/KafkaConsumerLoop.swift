import Bus
import ServiceKit
import Topics

/// The thread of one consumer: polls, offers what came, stores how far the work is, and answers rebalances. It never
/// waits for work, except for what is in flight when a partition is handed over, and then not for long.
final class KafkaConsumerLoop {
    private static let pollMilliseconds: Int32 = 100
    /// While paused nothing can come, so this is how soon a drained inbox is noticed.
    private static let pausedPollMilliseconds: Int32 = 10
    private static let groupMessagesMaximum = 256
    private static let committedDeadline = Duration.seconds(3)
    private static let commitDeadline = Duration.seconds(5)

    private let client: RDKafkaConsumer
    private let mailbox: Mailbox
    private let signals: ConsumerSignals
    private let options: ConsumerOptions
    private let storeInterval: Duration
    private let environment: WorkerEnvironment
    private let meters: Meters
    private let pulse: Pulse
    /// A group that is offered whole must not carry the inbox far beyond its bound.
    private let groupBytesMaximum: Int
    private var group = FetchedGroup()
    private var assigned: Set<Int32> = []
    private var isPaused = false
    private var lastStore: Duration
    private var lastProblem = ""

    init(
        _ client: RDKafkaConsumer, mailbox: Mailbox, signals: ConsumerSignals, options: ConsumerOptions,
        storeInterval: Duration, environment: WorkerEnvironment
    ) {
        self.client = client
        self.mailbox = mailbox
        self.signals = signals
        self.options = options
        self.storeInterval = storeInterval
        self.environment = environment
        meters = Meters(environment.metrics, options)
        pulse = environment.health.pulse(
            "kafka consumer \(options.group) of \(options.channel.name)", limit: .seconds(30))
        lastStore = environment.time.uptime
        groupBytesMaximum = min(1 << 20, options.bufferBytesMaximum / 4)
    }

    func run() {
        client.onRebalance { [unowned self] in rebalance($0) }
        while !signals.closing.isOpen {
            pulse.tick()
            fetch()
            storeWhenDue()
            updatePause()
            if let problem = client.fatalProblem {
                awaitClose(after: problem)
                break
            }
        }
        finish()
    }

    /// Nothing mends a fatal consumer (its place was taken by another of the same name): the pulse stops, `/healthz`
    /// fails, and whoever watches starts the service anew.
    private func awaitClose(after problem: String) {
        log.error("the Kafka consumer cannot go on", facts(problem))
        while !signals.closing.block(atMost: .seconds(3_600)) {}
    }

    /// What is done is committed, what is not is left to the next owner.
    private func finish() {
        pulse.tick()
        handOver(Array(assigned))
        client.close()
        pulse.rest()
        let ended = signals.ended
        let destroyed = client.destroyed
        // The library's client goes with this loop; the end is told when its threads are gone.
        NativeThread(name: "kafka-end") {
            _ = destroyed.block(atMost: ConsumerSignals.closeAllowance)
            ended.open()
        }.detach()
    }
}

// MARK: - Fetching

extension KafkaConsumerLoop {
    private func fetch() {
        var timeout = isPaused ? Self.pausedPollMilliseconds : Self.pollMilliseconds
        var problem: String?
        collecting: while group.count < Self.groupMessagesMaximum && group.bytes < groupBytesMaximum {
            switch client.poll(timeout) {
            case .message(let message): group.append(message)
            case .problem(let text): problem = text
            case .nothing, .end: break collecting
            }
            timeout = 0
        }
        offerGroup()
        if let problem { report(problem) }
    }

    private func offerGroup() {
        guard group.count > 0 else { return }
        let runs = group.takeRuns()
        let missing = mailbox.change { inbox in
            runs.reduce(into: Int64(0)) { $0 += inbox.offer($1.messages, to: $1.partition) }
        }
        if missing > 0, options.channel.declaration.cleanup != .compaction { alarm(missing) }
    }

    private func alarm(_ missing: Int64) {
        meters.gaps.increment(by: Int(missing))
        log.error("messages are missing from the topic", [.topic: topic, .group: options.group, .count: "\(missing)"])
    }

    /// Pausing throws away what was fetched ahead, hence the inbox's wide gap between stop and go.
    private func updatePause() {
        let (wantsPause, bytes) = mailbox.change { ($0.updatePause(), $0.bufferedBytes) }
        meters.buffered.set(bytes)
        let shouldPause = wantsPause || signals.stopping.isOpen
        guard shouldPause != isPaused else { return }
        isPaused = shouldPause
        guard !assigned.isEmpty else { return }
        log.debug(shouldPause ? "fetching rests" : "fetching goes on", [.topic: topic, .group: options.group])
        if shouldPause { client.pause(Array(assigned)) } else { client.resume(Array(assigned)) }
    }

    /// The same complaint comes again and again while it lasts.
    private func report(_ problem: String) {
        guard problem != lastProblem else { return }
        lastProblem = problem
        log.warning("the Kafka consumer cannot fetch", facts(problem))
    }
}

// MARK: - Offsets

extension KafkaConsumerLoop {
    private func storeWhenDue() {
        let now = environment.time.uptime
        guard now - lastStore >= storeInterval else { return }
        lastStore = now
        store(mailbox.change { $0.takeWatermarks() }.byNumber)
    }

    private func store(_ offsets: [Int32: Int64]) {
        guard !offsets.isEmpty else { return }
        for (partition, problem, isOurs) in client.store(offsets) {
            if isOurs {
                log.error("an offset was not stored", [.topic: topic, .partition: "\(partition)", .error: problem])
            } else {
                meters.lost.increment()
            }
        }
    }

    private func commit(_ offsets: [Int32: Int64]) {
        guard !offsets.isEmpty else { return }
        store(offsets)
        if let problem = client.commit(offsets, within: Self.commitDeadline) {
            log.warning("offsets were not committed: work may be done again", facts(problem))
        }
    }
}

// MARK: - Rebalancing

extension KafkaConsumerLoop {
    private func rebalance(_ event: RDKafkaConsumer.Rebalance) {
        // What was collected belongs to the tenures that end or begin here, not to those after.
        offerGroup()
        switch event {
        case .assigned(let partitions): take(partitions)
        case .revoked(let partitions, isLost: true): lose(partitions)
        case .revoked(let partitions, isLost: false): handOver(partitions)
        case .failed(let problem):
            report(problem)
            lose(Array(assigned))
        }
        meters.assigned.set(assigned.count)
        if case .assigned = event { return }
        client.unassign()
    }

    private func take(_ partitions: [Int32]) {
        let positions = client.committed(partitions, within: Self.committedDeadline)
        mailbox.change { inbox in
            for partition in partitions { inbox.assign(id(partition), from: positions[partition]) }
        }
        client.assign(partitions, from: positions)
        assigned.formUnion(partitions)
        // The library does not pause what is new.
        if isPaused { client.pause(partitions) }
        log.info("partitions assigned", [.topic: topic, .group: options.group, .count: "\(partitions.count)"])
    }

    private func lose(_ partitions: [Int32]) {
        let working = mailbox.change { inbox in
            let working = partitions.count { inbox.hasFlights(id($0)) }
            for partition in partitions { inbox.remove(id(partition)) }
            return working
        }
        meters.lost.increment(by: working)
        assigned.subtract(partitions)
        log.warning("partitions lost", [.topic: topic, .group: options.group, .count: "\(partitions.count)"])
    }

    private func handOver(_ partitions: [Int32]) {
        guard !partitions.isEmpty else { return }
        log.debug("partitions are asked back", [.topic: topic, .group: options.group, .count: "\(partitions.count)"])
        commit(mailbox.drain(partitions.map(id), within: options.handOverDeadline).byNumber)
        mailbox.change { inbox in
            for partition in partitions { inbox.remove(id(partition)) }
        }
        assigned.subtract(partitions)
        log.info("partitions handed over", [.topic: topic, .group: options.group, .count: "\(partitions.count)"])
    }
}

extension KafkaConsumerLoop {
    private var log: Log { environment.log }
    private var topic: String { options.channel.name }

    private func id(_ partition: Int32) -> PartitionID {
        PartitionID(channel: topic, number: partition)
    }

    private func facts(_ problem: String) -> KeyValuePairs<LogKey, String> {
        [.topic: topic, .group: options.group, .error: problem]
    }
}

/// Messages as they came, cut into runs of one partition, so that the inbox is locked once for all of them.
struct FetchedGroup {
    struct Run {
        let partition: PartitionID
        var messages: [IncomingMessage]
    }

    private(set) var count = 0
    private(set) var bytes = 0
    private var runs: [Run] = []

    mutating func append(_ message: IncomingMessage) {
        count += 1
        bytes += message.cost
        if let last = runs.indices.last, runs[last].partition.number == message.partition.number {
            runs[last].messages.append(message)
        } else {
            runs.append(Run(partition: message.partition, messages: [message]))
        }
    }

    mutating func takeRuns() -> [Run] {
        defer { self = FetchedGroup() }
        return runs
    }
}

extension [PartitionID: Int64] {
    fileprivate var byNumber: [Int32: Int64] {
        [Int32: Int64](uniqueKeysWithValues: map { ($0.key.number, $0.value) })
    }
}

private struct Meters {
    let gaps: Counter
    let lost: Counter
    let assigned: Gauge
    let buffered: Gauge

    init(_ metrics: Metrics, _ options: ConsumerOptions) {
        let labels: Metrics.Labels = ["topic": options.channel.name, "group": options.group]
        gaps = metrics.counter(.busOffsetGaps, labels)
        lost = metrics.counter(.busLeasesLost, labels)
        assigned = metrics.gauge(.busPartitionsAssigned, labels)
        buffered = metrics.gauge(.busBytesBuffered, labels)
    }
}
