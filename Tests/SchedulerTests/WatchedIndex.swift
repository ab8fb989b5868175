import MemoryStore
import ServiceKit
import Store
import TestSupport

/// An index that records the calls of schedulers and what they read.
final class WatchedIndex: RetryIndex {
    private struct Sight {
        var outlooks: [RetryOutlook] = []
        var added = 0
        var leased = 0
        var completed = 0
    }

    private let index: MemoryRetryIndex
    private let sight = Monitor(Sight())

    init(_ index: MemoryRetryIndex) {
        self.index = index
    }

    /// Waits until an outlook that matches has been read.
    func hasLooked(at matches: @escaping @Sendable (RetryOutlook) -> Bool) async -> Bool {
        await holds { $0.outlooks.contains(where: matches) }
    }

    func hasAdded(_ count: Int) async -> Bool {
        await holds { $0.added >= count }
    }

    func hasLeased(_ count: Int) async -> Bool {
        await holds { $0.leased >= count }
    }

    func hasCompleted(_ count: Int) async -> Bool {
        await holds { $0.completed >= count }
    }

    private func holds(_ condition: @escaping @Sendable (Sight) -> Bool) async -> Bool {
        await blocking { [sight] in
            sight.wait(timeout: .hangLimit) { condition($0) ? true : nil } ?? false
        }
    }

    func add(_ entries: [RetryEntry], to shard: RetryShard) {
        index.add(entries, to: shard)
        sight.change { $0.added += entries.count }
    }

    func lease(upTo count: Int, for duration: Duration, in shard: RetryShard) -> RetryLease {
        let lease = index.lease(upTo: count, for: duration, in: shard)
        sight.change { $0.leased += lease.entries.count }
        return lease
    }

    func complete(_ entries: [RetryEntry], in shard: RetryShard) {
        index.complete(entries, in: shard)
        sight.change { $0.completed += entries.count }
    }

    func giveBack(_ lease: RetryLease, in shard: RetryShard) {
        index.giveBack(lease, in: shard)
    }

    func outlook(of shard: RetryShard) -> RetryOutlook {
        let outlook = index.outlook(of: shard)
        sight.change { $0.outlooks.append(outlook) }
        return outlook
    }
}
