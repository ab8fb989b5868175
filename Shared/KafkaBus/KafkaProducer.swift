package import Bus
import CRDKafka
import ServiceKit
import Topics

/// Sends through librdkafka and returns once the brokers have acknowledged everything.
///
/// Tasks pass messages to the library, which copies them and never waits; one native thread serves the delivery reports
/// and resumes the waiting senders, also those whose patience is over. That thread also replaces the library's client
/// after a fatal error: senders wait meanwhile, and messages without a report are produced again in their order.
package final class KafkaProducer: BusProducer {
    private struct RoomWaiter {
        let continuation: CheckedContinuation<Bool, Never>
        let deadline: Duration
    }

    private struct State {
        var table = DeliveryTable()
        /// Nil during a replacement, and after the end.
        var client: RDKafkaProducer?
        /// Number of senders inside a call of the library.
        var callers = 0
        /// Incremented when reports or a client arrive, so that no sender waits for an event that just happened.
        var roomChanges = 0
        var roomWaiters: [RoomWaiter] = []
        var isClosing = false
    }

    private static let pollMilliseconds: Int32 = 100
    /// Resolution of the senders' patience while reports arrive.
    private static let patienceGrain = Duration.milliseconds(50)
    private static let flushDeadline = Duration.seconds(10)
    private static let destroyDeadline = Duration.seconds(5)
    /// A client that fails again and again does so because of the messages it is given.
    private static let replaysMaximum = 5

    private let state: Monitor<State>
    private let ended = OneTimeEvent()
    private let settings: [KafkaSetting]
    private let options: ProducerOptions
    private let environment: WorkerEnvironment
    private let failures: BrokerFailures
    private let meters: Meters
    private let pulse: Pulse

    init(
        _ settings: [KafkaSetting], options: ProducerOptions, environment: WorkerEnvironment,
        failures: BrokerFailures
    ) throws(BusError) {
        self.settings = settings
        self.options = options
        self.environment = environment
        self.failures = failures
        meters = Meters(environment.metrics)
        pulse = environment.health.pulse("kafka producer", limit: .seconds(30))
        let client = try RDKafkaProducer(settings, log: environment.log, failures: failures)
        state = Monitor(State(client: client))
        NativeThread(name: "kafka-producer") { self.serve(client) }.detach()
    }

    @discardableResult
    package func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        guard !messages.isEmpty else { return [] }
        let deadline = environment.time.uptime + options.patience
        try messages.checkSizes()
        let place = try open(messages)
        do {
            try await handOver(messages, at: place, until: deadline)
        } catch {
            state.withLock { $0.table.abandon(place) }
            throw error
        }
        return try await outcome(of: place, until: deadline).get()
    }

    package func close() async {
        state.withLock { $0.isClosing = true }
        let limit = Self.flushDeadline + Self.destroyDeadline + .seconds(5)
        if await ended.wait(atMost: limit, time: environment.time) { return }
        environment.log.error("Kafka producer did not stop in time", [.duration: DurationText.print(limit)])
    }

    /// For tests: makes the library's client fail fatally once this many messages are in flight.
    func makeFatal(whenOut count: Int, within limit: Duration) -> Bool {
        let client = state.wait(timeout: limit) { state in
            state.table.unreported().count >= count ? state.client : nil
        }
        client?.makeFatal()
        return client != nil
    }
}

extension KafkaProducer {
    private enum Entry {
        case admitted(RDKafkaProducer)
        case barred
        case closed
    }

    private func open(_ messages: [OutgoingMessage]) throws(BusError) -> Int {
        let tally = ProducedTally(messages)
        return try state.withLock { state throws(BusError) in
            guard !state.isClosing else { throw BusError(.closed, message: "the producer was closed") }
            return state.table.open(messages, tally: tally)
        }
    }

    private func handOver(
        _ messages: [OutgoingMessage], at place: Int, until deadline: Duration
    ) async throws(BusError) {
        var next = 0
        while next < messages.count {
            let (entry, roomChanges) = enter()
            switch entry {
            case .closed:
                throw BusError(.closed, message: "the producer was closed")
            case .barred:
                break
            case .admitted(let client):
                let (reached, refusal) = client.produce(messages, from: next) { MessageNumber(place, index: $0).bits }
                next = reached
                leave(place, upTo: reached)
                // A fatal client is replaced shortly; senders treat it as a full one.
                let isWaitWorthwhile = refusal == RD_KAFKA_RESP_ERR__QUEUE_FULL || refusal == RD_KAFKA_RESP_ERR__FATAL
                if refusal != RD_KAFKA_RESP_ERR_NO_ERROR, !isWaitWorthwhile {
                    throw BusError(refusal, message: "message refused by \(messages[next].channel.name)")
                }
            }
            guard next < messages.count else { return }
            meters.waits(of: messages[next].channel).increment()
            guard await room(since: roomChanges, until: deadline) else {
                throw BusError(.full, message: "producer queue full for \(DurationText.print(options.patience))")
            }
        }
    }

    /// Every admitted sender must leave: the client is not destroyed while one is inside.
    private func enter() -> (Entry, roomChanges: Int) {
        state.withLock { state in
            guard !ended.hasHappened else { return (.closed, state.roomChanges) }
            guard let client = state.client else { return (.barred, state.roomChanges) }
            state.callers += 1
            return (.admitted(client), state.roomChanges)
        }
    }

    private func leave(_ place: Int, upTo count: Int) {
        state.change { state in
            state.callers -= 1
            state.table.handOver(place, upTo: count)
        }
    }

    /// Suspends until reports have made room; false on timeout.
    private func room(since roomChanges: Int, until deadline: Duration) async -> Bool {
        guard environment.time.uptime < deadline else { return false }
        return await withCheckedContinuation { continuation in
            let hasChanged = state.withLock { state in
                guard state.roomChanges == roomChanges, !ended.hasHappened else { return true }
                state.roomWaiters.append(RoomWaiter(continuation: continuation, deadline: deadline))
                return false
            }
            if hasChanged { continuation.resume(returning: true) }
        }
    }

    private func outcome(of place: Int, until deadline: Duration) async -> DeliveryTable.Outcome {
        await withCheckedContinuation { waiter in
            let (finished, produced) = state.withLock { state in
                (state.table.settleOrWait(place, waiter: waiter, until: deadline), state.table.takeDurable())
            }
            meters.count(produced)
            finished?.resume()
        }
    }
}

extension KafkaProducer {
    private func serve(_ first: RDKafkaProducer) {
        var client: RDKafkaProducer? = first
        var closingSince: Duration?
        var nextGlance = Duration.zero
        while let current = client {
            pulse.tick()
            failures.checkRecovery()
            let reports = current.poll(Self.pollMilliseconds)
            // Read after the poll: the failures that a fatal error causes are reported after the error was raised.
            let fatalProblem = current.fatalProblem
            settle(reports, isFatal: fatalProblem != nil)
            admitWaiters(hasRoom: !reports.isEmpty)
            // Under load `poll` returns thousands of times a second, and each check visits all sends.
            if environment.time.uptime >= nextGlance {
                endPatience()
                nextGlance = environment.time.uptime + Self.patienceGrain
            }
            if let fatalProblem {
                client = nil
                client = replace(current, because: fatalProblem)
                continue
            }
            guard state.withLock({ $0.isClosing }) else { continue }
            let since = closingSince ?? environment.time.uptime
            closingSince = since
            if state.withLock({ $0.table.isEmpty }) || environment.time.uptime - since > Self.flushDeadline { break }
        }
        finish(client)
    }

    /// Processes reports. Failure reports of a fatal client are ignored.
    private func settle(_ reports: [RDKafkaReport], isFatal: Bool) {
        guard !reports.isEmpty else { return }
        let (finished, produced) = state.withLock { state in
            var finished: [DeliveryTable.Finished] = []
            var rest = reports[...]
            while let first = rest.first {
                // Reports come in runs of one send, and each run is processed as one.
                let place = first.number.place
                let run = rest.prefix { $0.error == first.error && $0.number.place == place }
                rest = rest[run.endIndex...]
                let isDurable = first.error == RD_KAFKA_RESP_ERR_NO_ERROR
                if !isDurable && isFatal { continue }
                if let one = state.table.takeIn(run, of: place, isDurable: isDurable) { finished.append(one) }
            }
            return (finished, state.table.takeDurable())
        }
        meters.count(produced)
        finished.resumeAll()
    }

    /// Wakes senders that wait for room, if there may be some, and senders whose patience is over.
    private func admitWaiters(hasRoom: Bool) {
        let now = environment.time.uptime
        let woken = state.withLock { state -> [RoomWaiter] in
            if hasRoom { state.roomChanges += 1 }
            guard !state.roomWaiters.isEmpty else { return [] }
            let woken = state.roomWaiters.filter { hasRoom || $0.deadline <= now }
            state.roomWaiters.removeAll { hasRoom || $0.deadline <= now }
            return woken
        }
        for waiter in woken { waiter.continuation.resume(returning: hasRoom) }
    }

    private func endPatience() {
        let patience = DurationText.print(options.patience)
        let failure = BusError(.unavailable, message: "not acknowledged by the brokers within \(patience)")
        state.withLock { [now = environment.time.uptime] in $0.table.endPatience(at: now, failure) }.resumeAll()
    }

    /// Nil if the producer was closed before another client could be created.
    private func replace(_ old: consuming RDKafkaProducer, because problem: String) -> RDKafkaProducer? {
        meters.restarts.increment()
        environment.log.warning("Kafka producer failed fatally: replacing it", [.error: problem])
        retire(old)
        let backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
        var attempt = 0
        while true {
            do {
                let client = try RDKafkaProducer(settings, log: environment.log, failures: failures)
                reproduce(with: client)
                state.withLock { $0.client = client }
                admitWaiters(hasRoom: true)
                return client
            } catch {
                attempt += 1
                environment.log.error("Kafka producer could not be created", [.error: "\(error)"])
                let delay = backoff.delay(afterAttempt: attempt, random: environment.random)
                let isClosing = state.wait(timeout: delay) { $0.isClosing ? true : nil } ?? false
                pulse.tick()
                admitWaiters(hasRoom: false)
                endPatience()
                if isClosing { return nil }
            }
        }
    }

    /// Admits no more senders, collects the last reports, and waits until the connections are closed: messages that are
    /// produced again must not be overtaken by messages in flight from the old client.
    private func retire(_ old: consuming RDKafkaProducer) {
        state.withLock { $0.client = nil }
        _ = state.wait(timeout: Self.destroyDeadline) { $0.callers == 0 ? true : nil }
        old.flush(within: .seconds(1))
        old.purge()
        settle(old.poll(0), isFatal: true)
        let destroyed = old.destroyed
        _ = consume old
        if !destroyed.block(atMost: Self.destroyDeadline) {
            environment.log.warning("failed Kafka producer is slow to stop")
        }
    }

    private func reproduce(with client: RDKafkaProducer) {
        let hopeless = BusError(.unavailable, message: "not delivered by \(Self.replaysMaximum) producers in a row")
        let (finished, unreported) = state.withLock { state in
            (state.table.countReplay(maximum: Self.replaysMaximum, failure: hopeless), state.table.unreported())
        }
        finished.resumeAll()
        for (place, index, message) in unreported {
            let (_, refusal) = client.produce([message], from: 0) { _ in MessageNumber(place, index: index).bits }
            guard refusal != RD_KAFKA_RESP_ERR_NO_ERROR else { continue }
            let failure = BusError(refusal, message: "could not be produced again")
            state.withLock { $0.table.report(place, indices: CollectionOfOne(index), failure: failure) }?.resume()
        }
    }

    private func finish(_ client: consuming RDKafkaProducer?) {
        let destroyed = client?.destroyed
        state.withLock { $0.client = nil }
        _ = state.wait(timeout: Self.destroyDeadline) { $0.callers == 0 ? true : nil }
        _ = consume client
        let (finished, waiters) = state.withLock { state in
            // Inside the lock, so that no sender starts to wait for room after the last were woken.
            ended.happen()
            defer { state.roomWaiters = [] }
            return (
                state.table.failAll(
                    BusError(.closed, message: "the producer was closed before all messages were durable")),
                state.roomWaiters
            )
        }
        finished.resumeAll()
        for waiter in waiters { waiter.continuation.resume(returning: true) }
        pulse.rest()
        _ = destroyed?.block(atMost: Self.destroyDeadline)
    }
}

/// Identifies the message of a report in the one word that the library passes through, without an allocation.
struct MessageNumber: Equatable {
    let place: Int
    let index: Int

    init(_ place: Int, index: Int) {
        self.place = place
        self.index = index
    }

    init(bits: UInt) {
        place = Int(bits >> 32)
        index = Int(bits & 0xFFFF_FFFF)
    }

    var bits: UInt { UInt(place) << 32 | UInt(index) }
}

private struct Meters: Sendable {
    let restarts: Counter
    private let metrics: Metrics

    init(_ metrics: Metrics) {
        self.metrics = metrics
        restarts = metrics.counter(.busProducerRestarts)
    }

    func count(_ produced: ProducedTally) {
        for run in produced.runs {
            metrics.counter(.busMessagesProduced, labels: ["topic": run.channel]).increment(by: run.messages)
            metrics.counter(.busBytesProduced, labels: ["topic": run.channel]).increment(by: run.bytes)
        }
    }

    func waits(of channel: Channel) -> Counter { metrics.counter(.busProducerWaits, labels: ["topic": channel.name]) }
}

extension DeliveryTable {
    /// Takes reports of one send, all with the same error or all without.
    fileprivate mutating func takeIn(
        _ run: ArraySlice<RDKafkaReport>, of place: Int, isDurable: Bool
    ) -> Finished? {
        guard !isDurable, let first = run.first else {
            return report(place, landings: run.lazy.map { Landing(index: $0.number.index, position: $0.position) })
        }
        return report(
            place, indices: run.lazy.map(\.number.index), failure: BusError(first.error, message: "not delivered"))
    }
}

extension RDKafkaReport {
    fileprivate var number: MessageNumber { MessageNumber(bits: opaque) }
}

extension [DeliveryTable.Finished] {
    fileprivate func resumeAll() {
        for one in self { one.resume() }
    }
}
