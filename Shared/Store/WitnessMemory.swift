/// What one process remembers of the witness, a count that all processes raise in the store, and what an answer of the
/// store proves.
///
/// The store keeps the order of writes. So it has come back with older data if a count is not above the highest one
/// known before it was raised. It has, too, if it does not know that this process raised the count: others may have
/// raised it again in between.
package struct WitnessMemory: Sendable {
    /// More than the count can grow between two answers without a loss. Who notices a loss raises the count by this
    /// much, so that all others see a jump.
    package static let leap: Int64 = 1 << 32

    /// One raise of the count, and what was known before it was sent.
    package struct Raise: Sendable {
        /// Under which the store keeps how far this process has raised the count.
        package let writer: UInt64
        /// The highest count known.
        package let floor: Int64
        /// The highest count that an answer has named to this writer.
        fileprivate let own: Int64
    }

    package struct Answer: Sendable {
        package let count: Int64
        /// What the store had as the last count of this writer; if it had none, the highest one that it has forgotten,
        /// or 0.
        package let before: Int64

        package init(count: Int64, before: Int64) {
            self.count = count
            self.before = before
        }
    }

    package enum Finding: Equatable, Sendable {
        case asBefore
        /// Another process may have begun an epoch.
        case mayHaveChanged
        /// Begin an epoch, unless another process has begun it since the store gave this count.
        case lost(proof: Int64)
    }

    package private(set) var epoch = LedgerEpoch.first
    private var count: Int64 = 0
    private var writer: UInt64
    private var own: Int64 = 0

    package init(writer: UInt64) {
        self.writer = writer
    }

    package var raise: Raise { Raise(writer: writer, floor: count, own: own) }

    package mutating func note(_ answer: Answer, of raise: Raise) -> Finding {
        let jumped = raise.floor > 0 && answer.count - raise.floor >= WitnessMemory.leap / 2
        if !jumped, answer.count <= raise.floor || answer.before < raise.own { return .lost(proof: answer.count) }
        if raise.writer == writer { own = max(own, answer.count) }
        if jumped || raise.floor == 0 || epoch.isDoubtful { return .mayHaveChanged }
        count = max(count, answer.count)
        return .asBefore
    }

    /// Returns the epoch known before.
    package mutating func learn(_ epoch: LedgerEpoch, count: Int64) -> LedgerEpoch {
        defer { self.epoch = epoch }
        self.count = max(self.count, count)
        if epoch.began != self.epoch.began {
            // Counts that are known to be lost prove no further loss.
            writer &+= 1
            own = 0
        }
        return self.epoch
    }
}
