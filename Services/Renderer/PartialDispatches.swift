import Bus
import ServiceKit
import Synchronization
import Topics

/// Remembers which senders received their part of a chunk whose other part was not sent: while one provider's topic is
/// full, the chunk is redelivered repeatedly, and the other provider's sender must not get its part each time. An entry
/// lost at the bound or in a crash causes a repeat, which the ledger makes harmless.
final class PartialDispatches: Sendable {
    private struct Place: Hashable {
        let partition: PartitionID
        let offset: Int64
        /// A topic that was deleted and created again restarts its offsets.
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
        known.withLock { $0.value(for: Place(message)) } ?? []
    }

    func note(_ families: Set<DispatchFamily>, of messages: [IncomingMessage]) {
        guard !families.isEmpty else { return }
        known.withLock { known in
            for message in messages {
                let place = Place(message)
                let before = known.value(for: place) ?? []
                known.set(before.union(families), for: place)
            }
        }
    }
}
