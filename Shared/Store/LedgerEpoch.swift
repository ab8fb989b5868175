package import ServiceKit

/// Since when the ledgers of the store are whole. One begins when the store comes back with older data than it had: what
/// was claimed and settled in between is not known any more.
package struct LedgerEpoch: Hashable, Sendable {
    /// Nil where the store has never gone back.
    package let began: Timestamp?
    /// Whether the store is to be filled again from the bus before anything is sent by what it says.
    package let isDoubtful: Bool

    package static let first = LedgerEpoch(began: nil, isDoubtful: false)

    package init(began: Timestamp?, isDoubtful: Bool) {
        self.began = began
        self.isDoubtful = isDoubtful
    }

    /// Whether devices of a task that was accepted then may have been sent to without the ledger knowing.
    package func mayHaveForgotten(tasksOf accepted: Timestamp) -> Bool {
        began.map { accepted < $0 } ?? false
    }
}

/// Knows the epoch, as of the last claim or a second ago.
package protocol LedgerWitness: Sendable {
    var epoch: LedgerEpoch { get }
}
