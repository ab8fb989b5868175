import Bus
import ServiceKit
import Synchronization

/// Which senders have got their part of a chunk whose other part did not go: while one provider's topic is at its bound,
/// the chunk comes again and again, and the other provider's sender must not get its part each time. What is forgotten
/// here, at the bound or by a crash, is a repeat that the ledger makes harmless.
final class PartialDispatches: Sendable {
    private struct Place: Hashable {
        let partition: PartitionID
        let offset: Int64
        /// A topic that was deleted and made anew counts its messages from the start again.
        let produced: Timestamp

        init(_ message: IncomingMessage) {
            partition = message.partition
            offset = message.offset
            produced = message.timestamp
        }
    }

    private let known: Mutex<RecentlyUsed<Place, Set<DispatchFamily>>>

    init(countMaximum: Int = 4_096) {
        known = Mutex(RecentlyUsed(costMaximum: countMaximum))
    }

    func families(of message: IncomingMessage) -> Set<DispatchFamily> {
        known.withLock { $0.value(for: Place(message)) { _ in 1 } } ?? []
    }

    func note(_ families: Set<DispatchFamily>, of messages: [IncomingMessage]) {
        guard !families.isEmpty else { return }
        known.withLock { known in
            for message in messages {
                let place = Place(message)
                let before = known.value(for: place) { _ in 1 } ?? []
                known.set(before.union(families), cost: 1, for: place)
            }
        }
    }
}
