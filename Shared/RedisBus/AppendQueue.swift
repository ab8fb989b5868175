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
        let ticket: SendTicket
        /// On the monotonic clock.
        let deadline: Duration
    }

    struct Batch {
        fileprivate(set) var frames: [[UInt8]] = []
        fileprivate(set) var count = 0
        fileprivate(set) var bytes = 0
    }

    enum Outcome {
        case appended
        /// At the bound, or Redis is away: to be tried again.
        case refused(BusError)
        /// Trying again cannot help.
        case failed(BusError)
    }

    private var waiting = Queue<Parcel>()
    private var underWay: [Parcel] = []
    private var waitingBytes = 0
    private let batchBytesMaximum: Int
    private let waitingBytesMaximum: Int

    init(batchBytesMaximum: Int = 512 << 10, waitingBytesMaximum: Int = 32 << 20) {
        self.batchBytesMaximum = batchBytesMaximum
        self.waitingBytesMaximum = waitingBytesMaximum
    }

    var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty }

    /// False when more is waiting than may.
    mutating func add(_ parcel: Parcel) -> Bool {
        guard waitingBytes < waitingBytesMaximum else { return false }
        waiting.append(parcel)
        waitingBytes += parcel.frames.count
        return true
    }

    /// The next batch to append; nil while one is under way or when there is nothing.
    mutating func next() -> Batch? {
        guard underWay.isEmpty else { return nil }
        var batch = Batch()
        while let parcel = waiting.first, batch.count == 0 || batch.bytes + parcel.frames.count <= batchBytesMaximum {
            waiting.popFirst()
            waitingBytes -= parcel.frames.count
            underWay.append(parcel)
            batch.frames.append(parcel.frames)
            batch.count += parcel.count
            batch.bytes += parcel.frames.count
        }
        return batch.count == 0 ? nil : batch
    }

    /// Ends the append under way. Returns the parcels that are settled by it, with the error of those that failed; the
    /// others are first in line again.
    mutating func settle(_ outcome: Outcome, now: Duration) -> [(Parcel, BusError?)] {
        let ended = underWay
        underWay = []
        switch outcome {
        case .appended: return ended.map { ($0, nil) }
        case .failed(let error): return ended.map { ($0, error) }
        case .refused(let error):
            let all = ended + drainWaiting()
            for parcel in all where parcel.deadline > now { putBack(parcel) }
            return all.filter { $0.deadline <= now }.map { ($0, error) }
        }
    }

    private mutating func drainWaiting() -> [Parcel] {
        var drained: [Parcel] = []
        while let parcel = waiting.popFirst() { drained.append(parcel) }
        waitingBytes = 0
        return drained
    }

    private mutating func putBack(_ parcel: Parcel) {
        waiting.append(parcel)
        waitingBytes += parcel.frames.count
    }
}
