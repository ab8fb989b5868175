import ServiceKit

/// The state of all messages that a consumer has fetched: the part that every driver needs and none should write again.
///
/// Decides what to deliver and up to where a partition is done; the owner fetches, waits and commits. Completions may
/// come out of order; a partition is done up to its watermark, the offset below which nothing is in flight.
package struct Inbox {
    private struct Flight {
        let ticket: Int
        let cost: Int
        let nextOffset: Int64
        var isDone = false
    }

    /// A class, so that changing one field does not copy the queue. Never leaves the inbox.
    private final class Tenure {
        let epoch: Int
        var waiting = Queue<IncomingMessage>()
        var waitingBytes = 0
        var flights: [Flight] = []
        /// The expected next offset, used to detect gaps.
        var position: Int64?
        var watermark: Int64?
        var recorded: Int64?
        var isLeaving = false
        var isResting = false
        var isQueued = false

        init(epoch: Int, position: Int64?) {
            self.epoch = epoch
            self.position = position
        }
    }

    private var tenures: [PartitionID: Tenure] = [:]
    /// Partitions that can deliver, round-robin, so that a busy one does not starve the others.
    private var turns = Queue<PartitionID>()
    private var tickets = 0
    private var epochs = 0
    private let options: ConsumerOptions
    /// Bytes that are fetched or in flight.
    package private(set) var bufferedBytes = 0
    private var isPaused = false

    package init(_ options: ConsumerOptions) {
        self.options = options
    }

    package var assigned: [PartitionID] { Array(tenures.keys) }

    /// Starts a tenure of a partition; completions of an earlier tenure are ignored from now on. Returns its number,
    /// for callers that offer from another thread than the one that assigns.
    @discardableResult
    package mutating func assign(_ id: PartitionID, from position: Int64? = nil) -> Int {
        remove(id)
        epochs += 1
        tenures[id] = Tenure(epoch: epochs, position: position)
        return epochs
    }

    /// Adds fetched messages, in order. Returns the number of missing messages before and between them.
    package mutating func offer(_ messages: some Sequence<IncomingMessage>, to id: PartitionID) -> Int64 {
        guard let tenure = tenures[id], !tenure.isLeaving else { return 0 }
        var missing: Int64 = 0
        for message in messages {
            if let position = tenure.position, message.offset > position { missing += message.offset - position }
            tenure.position = message.offset + 1
            tenure.waiting.append(message)
            tenure.waitingBytes += message.cost
            bufferedBytes += message.cost
        }
        enqueue(id, tenure: tenure)
        return missing
    }

    /// Like `offer`, for a bus whose entries hold several messages: skips those below the position, which are done or
    /// were offered already. Ignores the messages if the tenure for which they were fetched is over.
    package mutating func offerUnseen(_ messages: [IncomingMessage], to id: PartitionID, tenure epoch: Int) -> Int64 {
        guard let tenure = tenures[id], tenure.epoch == epoch else { return 0 }
        let position = tenure.position ?? 0
        return offer(messages.drop { $0.offset < position }, to: id)
    }

    /// The next delivery, if any partition has one.
    package mutating func take() -> Delivery? {
        while let id = turns.popFirst() {
            guard let tenure = tenures[id] else { continue }
            tenure.isQueued = false
            guard canDeliver(tenure) else { continue }
            tickets += 1
            let (batch, cost) = cutBatch(from: tenure)
            let nextOffset = (batch.last?.offset ?? 0) + 1
            tenure.flights.append(Flight(ticket: tickets, cost: cost, nextOffset: nextOffset))
            enqueue(id, tenure: tenure)
            return Delivery(partition: id, messages: batch, tenure: tenure.epoch, ticket: tickets)
        }
        return nil
    }

    package func isCurrent(_ delivery: Delivery) -> Bool {
        tenures[delivery.partition]?.epoch == delivery.tenure
    }

    /// Ignored if the delivery's tenure is over: the partition's new owner does the work again.
    package mutating func complete(_ delivery: Delivery) {
        guard let tenure = tenures[delivery.partition], tenure.epoch == delivery.tenure,
            let index = tenure.flights.firstIndex(where: { $0.ticket == delivery.ticket && !$0.isDone })
        else { return }
        tenure.flights[index].isDone = true
        bufferedBytes -= tenure.flights[index].cost
        let done = tenure.flights.prefix { $0.isDone }
        if let last = done.last {
            tenure.watermark = last.nextOffset
            tenure.flights.removeFirst(done.count)
        }
        enqueue(delivery.partition, tenure: tenure)
    }

    /// Stops deliveries from this partition; work in flight may finish.
    package mutating func beginLeaving(_ id: PartitionID) {
        guard let tenure = tenures[id] else { return }
        tenure.isLeaving = true
        dropWaiting(of: tenure)
    }

    /// A leaving tenure never resumes. If the partition is assigned again, a new tenure starts once the work is done.
    package func isLeaving(_ id: PartitionID) -> Bool {
        tenures[id]?.isLeaving == true
    }

    package func hasFlights(_ id: PartitionID) -> Bool {
        tenures[id]?.flights.isEmpty == false
    }

    /// Ends the tenure. Work still in flight is abandoned.
    package mutating func remove(_ id: PartitionID) {
        guard let tenure = tenures.removeValue(forKey: id) else { return }
        dropWaiting(of: tenure)
        for flight in tenure.flights where !flight.isDone { bufferedBytes -= flight.cost }
    }

    package var hasNewWatermarks: Bool {
        tenures.values.contains { $0.watermark != $0.recorded }
    }

    /// The watermark of each partition whose watermark moved since the last call.
    package mutating func takeWatermarks() -> [PartitionID: Int64] {
        var moved: [PartitionID: Int64] = [:]
        for (id, tenure) in tenures {
            guard let watermark = tenure.watermark, watermark != tenure.recorded else { continue }
            moved[id] = watermark
            tenure.recorded = watermark
        }
        return moved
    }

    /// The watermark could not be committed; it counts as moved again.
    package mutating func forgetRecorded(_ id: PartitionID) {
        tenures[id]?.recorded = nil
    }

    /// The watermark of a partition in this tenure, even if taken before; nil before the first completion.
    package func watermark(of id: PartitionID) -> Int64? {
        tenures[id]?.watermark
    }

    /// Bytes of one partition that may be buffered. Each partition has an equal share, so that one whose work stalls
    /// does not block fetching of the others.
    package var share: Int { options.bufferBytesMaximum / max(1, tenures.count) }

    /// The partitions to pause. A partition is paused when its share is full and resumed at half of it. The gap is wide
    /// because pausing discards what a client library has prefetched, so it must not flap.
    package mutating func updateResting() -> Set<PartitionID> {
        let share = share
        var resting: Set<PartitionID> = []
        for (id, tenure) in tenures {
            if tenure.waitingBytes >= share {
                tenure.isResting = true
            } else if tenure.waitingBytes <= share / 2 {
                tenure.isResting = false
            }
            if tenure.isResting { resting.insert(id) }
        }
        return resting
    }

    /// True if all fetching should pause. The limit is above the sum of the shares, since stalled partitions may hold
    /// nearly the whole buffer indefinitely: only much work in flight reaches it.
    package mutating func updatePause() -> Bool {
        if bufferedBytes >= options.bufferBytesMaximum * 2 {
            isPaused = true
        } else if bufferedBytes <= options.bufferBytesMaximum / 2 * 3 {
            isPaused = false
        }
        return isPaused
    }

    private func cutBatch(from tenure: Tenure) -> (messages: [IncomingMessage], cost: Int) {
        var batch: [IncomingMessage] = []
        var cost = 0
        while batch.count < options.batchMessagesMaximum, let message = tenure.waiting.first,
            batch.isEmpty || cost + message.cost <= options.batchBytesMaximum
        {
            tenure.waiting.popFirst()
            cost += message.cost
            batch.append(message)
        }
        tenure.waitingBytes -= cost
        return (batch, cost)
    }

    private mutating func dropWaiting(of tenure: Tenure) {
        bufferedBytes -= tenure.waitingBytes
        tenure.waitingBytes = 0
        tenure.waiting = Queue()
    }

    private func canDeliver(_ tenure: Tenure) -> Bool {
        !tenure.waiting.isEmpty && !tenure.isLeaving && (options.order == .none || tenure.flights.isEmpty)
    }

    private mutating func enqueue(_ id: PartitionID, tenure: Tenure) {
        guard !tenure.isQueued, canDeliver(tenure) else { return }
        tenure.isQueued = true
        turns.append(id)
    }
}

/// Messages of one partition given to one worker.
package struct Delivery: Sendable {
    package let partition: PartitionID
    package let messages: [IncomingMessage]
    /// The tenure's number; it changes when the partition is revoked and assigned again.
    let tenure: Int
    fileprivate let ticket: Int
}
