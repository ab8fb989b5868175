package import ServiceKit

/// The time since which the store's ledgers are complete. A new epoch begins when the store comes back with older data:
/// claims and settlements made in between are lost.
package struct LedgerEpoch: Hashable, Sendable {
    /// Nil if the store was never rolled back.
    package let began: Timestamp?
    /// True if the store must be filled again from the bus before anything is sent based on its data.
    package let isDoubtful: Bool

    package static let first = LedgerEpoch(began: nil, isDoubtful: false)

    package init(began: Timestamp?, isDoubtful: Bool) {
        self.began = began
        self.isDoubtful = isDoubtful
    }

    /// True if devices of a task accepted at this time may have been sent to without a record in the ledger.
    package func mayHaveForgotten(tasksOf accepted: Timestamp) -> Bool {
        began.map { accepted < $0 } ?? false
    }
}

/// Provides the epoch, as of the last claim or at most a second ago.
package protocol LedgerWitness: Sendable {
    var epoch: LedgerEpoch { get }
    /// Raises the count: afterwards the epoch is that of this moment.
    func tick() async throws(StoreError)
}
