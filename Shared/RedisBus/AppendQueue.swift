import Bus
import ServiceKit

/// Messages waiting to be appended to one partition. Only one append is in flight: order is kept without numbering
/// batches, and messages that arrive meanwhile form the next batch, so batches grow with the load, not a timer.
///
/// Decides only; the owner sends and waits.
struct AppendQueue {
    /// A part of one `send`: framed messages that stay together.
    struct Parcel {
        let frames: [UInt8]
        let count: Int
        let valueBytes: Int
        let ticket: SendTicket
        /// Index of the part within its send.
        let part: Int
        /// On the monotonic clock; the sender gets its answer by then, and unsent parcels are dropped.
        let deadline: Duration
    }

    struct Batch {
        fileprivate(set) var frames: [[UInt8]] = []
        fileprivate(set) var count = 0
        fileprivate(set) var bytes = 0
    }

    enum Outcome {
        /// The offset after the last message of the batch.
        case appended(next: Int64)
        /// At the bound, or Redis is unavailable: to be retried.
        case refused(BusError)
        /// A retry cannot help.
        case failed(BusError)
    }

    private var waiting = Queue<Parcel>()
    /// Refused parcels, which come before all waiting ones.
    private var returned: [Parcel] = []
    private var underWay: [Parcel] = []
    /// After a refusal nothing is appended until the owner has backed off, however much is added meanwhile.
    private var isResting = false
    private let batchBytesMaximum: Int

    init(batchBytesMaximum: Int = 512 << 10) {
        self.batchBytesMaximum = batchBytesMaximum
    }

    mutating func add(_ parcel: Parcel) {
        waiting.append(parcel)
    }

    /// The next batch to append; nil if one is in flight, during a backoff, or if there is nothing.
    mutating func next(now: Duration) -> Batch? {
        guard underWay.isEmpty, !isResting else { return nil }
        var batch = Batch()
        let again = returned
        returned = []
        for parcel in again where parcel.deadline > now { take(parcel, into: &batch) }
        // Refused parcels are retried unchanged; only then is there room for more.
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

    /// Ends the append in flight. Returns the parcels that it settles; after a refusal there are none, and the queue
    /// backs off.
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
