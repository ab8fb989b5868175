import Bus

/// Messages that were given to the library and have no delivery report yet.
///
/// Decides what a report means for the send it belongs to; the producer passes on, waits and resumes.
struct DeliveryTable {
    typealias Outcome = Result<[MessagePosition], BusError>
    typealias Waiter = CheckedContinuation<Outcome, Never>

    /// A finished send and its waiter.
    struct Finished {
        let waiter: Waiter
        let outcome: Outcome

        func resume() {
            waiter.resume(returning: outcome)
        }
    }

    /// A delivery report on one message of a send.
    struct Landing {
        let index: Int
        let position: MessagePosition
    }

    /// A class, so that a report changes one field in place. Never leaves the table.
    private final class Batch {
        let order: Int
        let messages: [OutgoingMessage]
        let tally: ProducedTally
        var isReported: [Bool]
        /// Valid where delivery succeeded; returned to the sender without a copy.
        var positions: [MessagePosition]
        var reported = 0
        /// Number of messages that the library has taken, from the start.
        var handedOver = 0
        var replays = 0
        var failure: BusError?
        var waiter: Waiter?
        /// The end of the waiter's patience.
        var deadline = Duration.zero
        /// The sender stopped waiting for reports.
        var isAbandoned = false

        init(order: Int, messages: [OutgoingMessage], tally: ProducedTally) {
            self.order = order
            self.messages = messages
            self.tally = tally
            isReported = [Bool](repeating: false, count: messages.count)
            positions = [MessagePosition](
                repeating: MessagePosition(partition: -1, offset: nil), count: messages.count)
        }

        var isSettled: Bool { reported == handedOver }
        var outcome: Outcome { failure.map { .failure($0) } ?? .success(positions) }

        func mark(_ index: Int) {
            guard !isReported[index] else { return }
            isReported[index] = true
            reported += 1
        }
    }

    /// Indexed by place; a place is reused once its batch is finished.
    private var batches: [Batch?] = []
    private var freePlaces: [Int] = []
    private var orders = 0
    private(set) var count = 0
    private var durable = ProducedTally()

    var isEmpty: Bool { count == 0 }

    mutating func open(_ messages: [OutgoingMessage], tally: ProducedTally) -> Int {
        orders += 1
        count += 1
        let batch = Batch(order: orders, messages: messages, tally: tally)
        if let place = freePlaces.popLast() {
            batches[place] = batch
            return place
        }
        batches.append(batch)
        return batches.count - 1
    }

    mutating func handOver(_ place: Int, upTo count: Int) {
        batches[place]?.handedOver = count
    }

    /// The sender has passed everything on and wants the outcome; returned immediately if it is known already.
    mutating func settleOrWait(_ place: Int, waiter: Waiter, until deadline: Duration) -> Finished? {
        guard let batch = batches[place] else { return nil }
        guard batch.isSettled else {
            batch.waiter = waiter
            batch.deadline = deadline
            return nil
        }
        close(place)
        return Finished(waiter: waiter, outcome: batch.outcome)
    }

    /// The sender stopped waiting; its messages are still in flight.
    mutating func abandon(_ place: Int) {
        guard let batch = batches[place] else { return }
        batch.isAbandoned = true
        if batch.isSettled { close(place) }
    }

    /// Fails the waiters whose patience is over. Their messages stay in flight; their reports are ignored.
    mutating func endPatience(at now: Duration, _ failure: BusError) -> [Finished] {
        batches.compactMap { batch in
            guard let batch, let waiter = batch.waiter, batch.deadline <= now else { return nil }
            batch.waiter = nil
            batch.isAbandoned = true
            return Finished(waiter: waiter, outcome: .failure(failure))
        }
    }

    /// Records reports that these messages of one send are durable. Takes many in one call, since this runs for every
    /// message.
    mutating func report(_ place: Int, landings: some Sequence<Landing>) -> Finished? {
        guard let batch = batches[place] else { return nil }
        for landing in landings {
            batch.positions[landing.index] = landing.position
            batch.mark(landing.index)
        }
        return finish(place, batch: batch)
    }

    /// Records that these messages of a send failed permanently.
    mutating func report(_ place: Int, indices: some Sequence<Int>, failure: BusError) -> Finished? {
        guard let batch = batches[place] else { return nil }
        for index in indices { batch.mark(index) }
        if batch.failure == nil { batch.failure = failure }
        return finish(place, batch: batch)
    }

    private mutating func finish(_ place: Int, batch: Batch) -> Finished? {
        guard batch.isSettled, batch.waiter != nil || batch.isAbandoned else { return nil }
        close(place)
        return batch.waiter.map { Finished(waiter: $0, outcome: batch.outcome) }
    }

    /// Tally of the sends that became durable as a whole since the last call.
    mutating func takeDurable() -> ProducedTally {
        defer { durable = ProducedTally() }
        return durable
    }

    /// Messages to produce again after the library's client was lost, in send order.
    func unreported() -> [(place: Int, index: Int, message: OutgoingMessage)] {
        batches.enumerated()
            .compactMap { place, batch in batch.map { (place, $0) } }
            .sorted { $0.1.order < $1.1.order }
            .flatMap { place, batch in
                (0..<batch.handedOver).filter { !batch.isReported[$0] }.map { (place, $0, batch.messages[$0]) }
            }
    }

    /// Counts one replay for each send in flight, and fails those with too many.
    mutating func countReplay(maximum: Int, failure: BusError) -> [Finished] {
        var finished: [Finished] = []
        for (place, batch) in batches.enumerated() {
            guard let batch, !batch.isSettled else { continue }
            batch.replays += 1
            if batch.replays > maximum { finished += fail(place, failure: failure) }
        }
        return finished
    }

    /// Fails everything in flight.
    mutating func failAll(_ failure: BusError) -> [Finished] {
        batches.indices.flatMap { fail($0, failure: failure) }
    }

    private mutating func fail(_ place: Int, failure: BusError) -> [Finished] {
        guard let batch = batches[place] else { return [] }
        return report(place, indices: 0..<batch.handedOver, failure: failure).map { [$0] } ?? []
    }

    private mutating func close(_ place: Int) {
        if let batch = batches[place], batch.failure == nil, batch.reported == batch.messages.count {
            durable.add(batch.tally)
        }
        batches[place] = nil
        freePlaces.append(place)
        count -= 1
    }
}
