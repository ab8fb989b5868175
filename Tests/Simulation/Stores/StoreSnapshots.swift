import MemoryStore
import ServiceKit
import Synchronization

/// Copies of all stores as they were a moment ago, like those of a replica or a backup.
final class StoreSnapshots: Sendable {
    private struct Snapshot: Sendable {
        let time: Duration
        let restore: @Sendable () -> Void
    }

    static let interval = Duration.milliseconds(700)
    private static let countMaximum = 64

    private let stores: [any Revertible]
    private let snapshots = Mutex<[Snapshot]>([])

    init(_ stores: [any Revertible]) {
        self.stores = stores
    }

    /// In one step of the loop: all copies are of the same moment.
    func save(at time: Duration) {
        let restores = stores.map { $0.savedState() }
        let snapshot = Snapshot(time: time) {
            for restore in restores { restore() }
        }
        snapshots.withLock { snapshots in
            if snapshots.count == StoreSnapshots.countMaximum { snapshots.removeFirst() }
            snapshots.append(snapshot)
        }
    }

    /// Sets the stores back to the newest copy that is at least so old; the later ones are gone. Returns its time; nil
    /// if there is none.
    func goBack(to time: Duration) -> Duration? {
        let snapshot = snapshots.withLock { snapshots in
            snapshots.removeAll { $0.time > time }
            return snapshots.last
        }
        snapshot?.restore()
        return snapshot?.time
    }
}
