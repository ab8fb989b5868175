import Bus
import ServiceKit
import Topics

/// The thread of one consumer: polls, offers messages to the inbox, stores offsets of finished work, and handles
/// rebalances. It never waits for work, except briefly for work in flight when a partition is revoked.
final class KafkaConsumerLoop {
    private static let pollMilliseconds: Int32 = 100
    /// Paused partitions deliver nothing, so this is how soon a drained inbox is noticed.
    private static let pausedPollMilliseconds: Int32 = 10
    private static let groupMessagesMaximum = 256
    private static let lagInterval = Duration.seconds(1)
    private static let committedDeadline = Duration.seconds(3)
    private static let commitDeadline = Duration.seconds(5)
    private static let leaveDeadline = Duration.seconds(5)

    private let client: RDKafkaConsumer
    private let mailbox: Mailbox
    private let signals: ConsumerSignals
    private let options: ConsumerOptions
    private let storeInterval: Duration
    private let environment: WorkerEnvironment
    private let failures: BrokerFailures
    private let meters: Meters
    private let pulse: Pulse
    private var group = FetchedGroup()
    private var assigned: Set<Int32> = []
    /// Partitions paused in the library, including those of past assignments: the library may remember them.
    private var paused: Set<Int32> = []
    private var lastStore: Duration
    private var lastLag: Duration
    /// Offset up to which work on each assigned partition is recorded as done.
    private var positions: [Int32: Int64] = [:]
    private var fetchFailures = LogDeduplicator()
    private var storeFailures = LogDeduplicator()

    init(
        _ client: RDKafkaConsumer, mailbox: Mailbox, signals: ConsumerSignals, options: ConsumerOptions,
        storeInterval: Duration, environment: WorkerEnvironment, failures: BrokerFailures
    ) {
        self.client = client
        self.mailbox = mailbox
        self.signals = signals
        self.options = options
        self.storeInterval = storeInterval
        self.environment = environment
        self.failures = failures
        meters = Meters(environment.metrics, options: options)
        pulse = environment.health.pulse(
            "kafka consumer \(options.group) of \(options.channel.name)", limit: .seconds(30))
        lastStore = environment.time.uptime
        lastLag = lastStore
    }

    func run() {
        client.onRebalance { [unowned self] in rebalance($0) }
        while !signals.closing.hasHappened {
            pulse.tick()
            fetch()
            storeWhenDue()
            updatePause()
            updateLagWhenDue()
            failures.checkRecovery()
            if let problem = client.fatalProblem {
                awaitClose(after: problem)
                break
            }
        }
        finish()
    }

    /// A fatal consumer cannot recover (another of the same name took its place): the pulse stops, `/healthz` fails,
    /// and the supervisor restarts the service.
    private func awaitClose(after problem: String) {
        log.error("Kafka consumer failed permanently", facts(problem))
        while !signals.closing.block(atMost: .seconds(3_600)) {}
    }

    /// Commits finished work; the next owner does the rest.
    private func finish() {
        pulse.tick()
        handOver(Array(assigned))
        pulse.rest()
        let (left, destroyed, ended) = (OneTimeEvent(), client.destroyed, signals.ended)
        // The library's client is destroyed with this loop. The end is signalled when its threads have stopped, or when
        // that takes long: a joining member can leave only after the join is answered. It holds no partitions then, and
        // the group drops it when its session times out.
        NativeThread(name: "kafka-end") {
            if left.block(atMost: Self.leaveDeadline) { _ = destroyed.block(atMost: Self.leaveDeadline) }
            ended.happen()
        }.detach()
        client.close()
        left.happen()
    }
}

extension KafkaConsumerLoop {
    private func fetch() {
        var timeout = paused.isEmpty ? Self.pollMilliseconds : Self.pausedPollMilliseconds
        // A group is offered whole and must not exceed a partition's share by much.
        let groupBytesMaximum = min(1 << 20, mailbox.read { $0.share } / 4)
        var problem: String?
        collecting: while group.count < Self.groupMessagesMaximum && group.bytes < groupBytesMaximum {
            switch client.poll(timeout) {
            case .message(let message):
                // A group without a commit here starts at the first message fetched.
                if positions[message.partition.number] == nil { positions[message.partition.number] = message.offset }
                group.append(message)
                fetchFailures.forget()
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
        log.error("messages missing from the topic", [.topic: topic, .group: options.group, .count: "\(missing)"])
    }

    /// Changes only partitions whose state differs: each pause discards what the library has prefetched.
    private func updatePause() {
        let (resting, isPaused, bytes) = mailbox.change {
            ($0.updateResting(), $0.updatePause(), $0.bufferedBytes)
        }
        meters.buffered.set(bytes)
        let isAllPaused = isPaused || signals.stopping.hasHappened
        let wanted = isAllPaused ? assigned : assigned.intersection(resting.map(\.number))
        pause(wanted.subtracting(paused))
        resume(paused.intersection(assigned).subtracting(wanted))
    }

    private func pause(_ partitions: Set<Int32>) {
        guard !partitions.isEmpty else { return }
        client.pause(Array(partitions))
        paused.formUnion(partitions)
        log.debug("fetching paused", facts(of: partitions))
    }

    private func resume(_ partitions: Set<Int32>) {
        guard !partitions.isEmpty else { return }
        client.resume(Array(partitions))
        paused.subtract(partitions)
        log.debug("fetching resumed", facts(of: partitions))
    }

    private func report(_ problem: String) {
        guard fetchFailures.noteIfNew(problem) else { return }
        log.warning("Kafka consumer cannot fetch", facts(problem))
    }
}

extension KafkaConsumerLoop {
    private func updateLagWhenDue() {
        let now = environment.time.uptime
        guard now - lastLag >= Self.lagInterval else { return }
        lastLag = now
        updateLag()
    }

    /// Computed here: the library's own figure keeps revoked partitions, and for a partition that was assigned again
    /// the offset committed during its earlier assignment.
    private func updateLag() {
        meters.lag.set(
            positions.reduce(0) { sum, partition in
                sum + Int(max(0, (client.end(of: partition.key) ?? partition.value) - partition.value))
            })
    }

    private func storeWhenDue() {
        let now = environment.time.uptime
        guard now - lastStore >= storeInterval else { return }
        lastStore = now
        store(mailbox.change { $0.takeWatermarks() }.byNumber)
    }

    private func store(_ offsets: [Int32: Int64]) {
        guard !offsets.isEmpty else { return }
        let refusals = client.store(offsets)
        positions.merge(offsets) { $1 }
        for refusal in refusals where !refusal.isOurs { positions[refusal.partition] = nil }
        let ours = refusals.filter(\.isOurs)
        meters.lost.increment(by: refusals.count - ours.count)
        mailbox.change { $0.takeBack(ours, topic: topic) }
        guard let first = ours.first else { return storeFailures.forget() }
        // They are stored again in the next round, which would log as often.
        guard storeFailures.noteIfNew(first.problem) else { return }
        log.error("offset not stored", [.topic: topic, .partition: "\(first.partition)", .error: first.problem])
    }

    private func commit(_ offsets: [Int32: Int64]) {
        guard !offsets.isEmpty else { return }
        store(offsets)
        if let problem = client.commit(offsets, within: Self.commitDeadline) {
            log.warning("offset commit failed: work may be repeated", facts(problem))
        }
    }
}

extension KafkaConsumerLoop {
    private func rebalance(_ event: RDKafkaConsumer.Rebalance) {
        // Collected messages belong to the tenures that end or start here, not to later ones.
        offerGroup()
        switch event {
        case .assigned(let partitions):
            fetchFailures.forget()
            take(partitions)
        case .revoked(let partitions, isLost: true): lose(partitions)
        case .revoked(let partitions, isLost: false): handOver(partitions)
        case .failed(let problem):
            report(problem)
            lose(Array(assigned))
        }
        meters.assigned.set(assigned.count)
        positions = positions.filter { assigned.contains($0.key) }
        updateLag()
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
        for partition in partitions { self.positions[partition] = positions[partition] }
        resume(paused.intersection(partitions))
        signals.joined.happen()
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
        log.debug("partitions revoked", [.topic: topic, .group: options.group, .count: "\(partitions.count)"])
        commit(mailbox.drain(partitions.map(id), within: options.handOverDeadline).byNumber)
        mailbox.change { inbox in
            for partition in partitions { inbox.remove(id(partition)) }
        }
        assigned.subtract(partitions)
        log.info("partitions released", [.topic: topic, .group: options.group, .count: "\(partitions.count)"])
    }
}

extension KafkaConsumerLoop {
    private var log: Log { environment.log }
    private var topic: String { options.channel.name }

    private func id(_ partition: Int32) -> PartitionID {
        PartitionID(channel: topic, number: partition)
    }

    private func facts(of partitions: Set<Int32>) -> KeyValuePairs<LogKey, String> {
        [
            .topic: topic, .group: options.group,
            .partition: partitions.sorted().map(String.init).joined(separator: ","),
        ]
    }

    private func facts(_ problem: String) -> KeyValuePairs<LogKey, String> {
        [.topic: topic, .group: options.group, .error: problem]
    }
}

extension Inbox {
    /// Refused offsets count as not recorded, so that the next round stores them again.
    mutating func takeBack(_ refusals: [StoreRefusal], topic: String) {
        for refusal in refusals { forgetRecorded(PartitionID(channel: topic, number: refusal.partition)) }
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
    let lag: Gauge

    init(_ metrics: Metrics, options: ConsumerOptions) {
        let labels: Metrics.Labels = ["topic": options.channel.name, "group": options.group]
        gaps = metrics.counter(.busOffsetGaps, labels: labels)
        lost = metrics.counter(.busLeasesLost, labels: labels)
        assigned = metrics.gauge(.busPartitionsAssigned, labels: labels)
        buffered = metrics.gauge(.busBytesBuffered, labels: labels)
        lag = metrics.gauge(.busConsumerLag, labels: labels)
    }
}
