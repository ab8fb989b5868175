import Bus

/// What waits to be appended to one partition. One append is under way at a time: order is kept without numbering
/// batches, and what gathers meanwhile goes as one batch, so the batches grow with the load and not with a timer.
///
/// Decides only; the owner sends and waits.
struct AppendQueue {
    /// A part of one `send`: framed messages that stay together.
    struct Parcel {
        let frames: [UInt8]
        let count: Int
        let valueBytes: Int
        let ticket: SendTicket
        /// Which part of the send it is.
        let part: Int
        /// On the monotonic clock; the sender is told by then, and what it did not get sent is dropped.
        let deadline: Duration
    }

    struct Batch {
        fileprivate(set) var frames: [[UInt8]] = []
        fileprivate(set) var count = 0
        fileprivate(set) var bytes = 0
    }

    enum Outcome {
        /// The offset after the last of the batch.
        case appended(next: Int64)
        /// At the bound, or Redis is away: to be tried again.
        case refused(BusError)
        /// Trying again cannot help.
        case failed(BusError)
    }

    private var waiting = Queue<Parcel>()
    /// Refused, and therefore before everything that waits.
    private var returned: [Parcel] = []
    private var underWay: [Parcel] = []
    /// After a refusal nothing is appended until the owner has waited a little, however much is added meanwhile.
    private var isResting = false
    private let batchBytesMaximum: Int

    init(batchBytesMaximum: Int = 512 << 10) {
        self.batchBytesMaximum = batchBytesMaximum
    }

    mutating func add(_ parcel: Parcel) {
        waiting.append(parcel)
    }

    /// The next batch to append; nil while one is under way, at rest, or when there is nothing.
    mutating func next(now: Duration) -> Batch? {
        guard underWay.isEmpty, !isResting else { return nil }
        var batch = Batch()
        let again = returned
        returned = []
        for parcel in again where parcel.deadline > now { take(parcel, into: &batch) }
        // What was refused goes again as it was; only after that is there room for more.
        guard batch.count == 0 else { return batch }
        while let parcel = waiting.first, batch.count == 0 || batch.bytes + parcel.frames.count <= batchBytesMaximum {
            waiting.popFirst()
            if parcel.deadline > now { take(parcel, into: &batch) }
        }
        return batch.count == 0 ? nil : batch
    }

    private mutating func take(_ parcel: Parcel, into batch: inout Batch) {
        underWay.append(parcel)
        batch.frames.append(parcel.frames)
        batch.count += parcel.count
        batch.bytes += parcel.frames.count
    }

    /// Ends the append under way. Returns the parcels that are settled by it; after a refusal there are none, and the
    /// queue rests.
    mutating func settle(_ outcome: Outcome) -> [Parcel] {
        let ended = underWay
        underWay = []
        guard case .refused = outcome else { return ended }
        returned = ended
        isResting = true
        return []
    }

    mutating func endRest() {
        isResting = false
    }
}
