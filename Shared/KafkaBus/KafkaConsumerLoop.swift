import Bus
import ServiceKit
import Topics

/// The thread of one consumer: polls, offers what came, stores how far the work is, and answers rebalances. It never
/// waits for work, except for what is in flight when a partition is handed over, and then not for long.
final class KafkaConsumerLoop {
    private static let pollMilliseconds: Int32 = 100
    /// From what is paused nothing can come, so this is how soon a drained inbox is noticed.
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
    /// Where the library was told not to fetch, also in an assignment that is over: it may remember that.
    private var paused: Set<Int32> = []
    private var lastStore: Duration
    private var lastLag: Duration
    /// Up to where the work on each assigned partition is recorded as done.
    private var positions: [Int32: Int64] = [:]
    private var fetchComplaint = LogDeduplicator()
    private var storeComplaint = LogDeduplicator()

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
            failures.look()
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
        pulse.rest()
        let (left, destroyed, ended) = (OneTimeEvent(), client.destroyed, signals.ended)
        // The library's client goes with this loop; the end is told when its threads are gone, or when that takes long: a
        // member that is just joining is not heard before the join is answered. It has nothing to lose by then, and the
        // group misses it when its session is over.
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
        // A group is offered whole and must not carry a partition far beyond its share.
        let groupBytesMaximum = min(1 << 20, mailbox.read { $0.share } / 4)
        var problem: String?
        collecting: while group.count < Self.groupMessagesMaximum && group.bytes < groupBytesMaximum {
            switch client.poll(timeout) {
            case .message(let message):
                // A group that never committed here begins with what comes first.
                if positions[message.partition.number] == nil { positions[message.partition.number] = message.offset }
                group.append(message)
                fetchComplaint.forget()
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

    /// Changes only what is not as it should be: each pause throws away what the library has fetched ahead.
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
        log.debug("fetching rests", facts(of: partitions))
    }

    private func resume(_ partitions: Set<Int32>) {
        guard !partitions.isEmpty else { return }
        client.resume(Array(partitions))
        paused.subtract(partitions)
        log.debug("fetching goes on", facts(of: partitions))
    }

    private func report(_ problem: String) {
        guard fetchComplaint.isNews(problem) else { return }
        log.warning("the Kafka consumer cannot fetch", facts(problem))
    }
}

extension KafkaConsumerLoop {
    private func updateLagWhenDue() {
        let now = environment.time.uptime
        guard now - lastLag >= Self.lagInterval else { return }
        lastLag = now
        updateLag()
    }

    /// Reckoned here: the library's own figure keeps partitions that are gone, and of one that came back with a rebalance
    /// what was committed when it was here before.
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
        guard let first = ours.first else { return storeComplaint.forget() }
        // They are stored again with the next round, and would complain as often.
        guard storeComplaint.isNews(first.problem) else { return }
        log.error("an offset was not stored", [.topic: topic, .partition: "\(first.partition)", .error: first.problem])
    }

    private func commit(_ offsets: [Int32: Int64]) {
        guard !offsets.isEmpty else { return }
        store(offsets)
        if let problem = client.commit(offsets, within: Self.commitDeadline) {
            log.warning("offsets were not committed: work may be done again", facts(problem))
        }
    }
}

extension KafkaConsumerLoop {
    private func rebalance(_ event: RDKafkaConsumer.Rebalance) {
        // What was collected belongs to the tenures that end or begin here, not to those after.
        offerGroup()
        switch event {
        case .assigned(let partitions):
            fetchComplaint.forget()
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
    /// What the library refused counts as not recorded, so that the next round brings it again.
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
