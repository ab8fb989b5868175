package import ServiceKit
package import Store

/// The retry index in memory, for tests and the simulation.
package final class MemoryRetryIndex: RetryIndex, Revertible {
    private struct State {
        var waiting: Set<RetryEntry> = []
        /// Entries by the end of their lease.
        var leased: [RetryEntry: Timestamp] = [:]

        mutating func returnDead(at now: Timestamp) {
            for entry in leased.filter({ $0.value <= now }).keys {
                leased[entry] = nil
                waiting.insert(entry)
            }
        }
    }

    private let time: any TimeSource
    private let shelves = Monitor<[RetryShard: State]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func add(_ entries: [RetryEntry], to shard: RetryShard) {
        change(shard) { state, _ in
            state.waiting.formUnion(entries)
        }
    }

    package func lease(upTo count: Int, for duration: Duration, in shard: RetryShard) -> RetryLease {
        change(shard) { state, now in
            state.returnDead(at: now)
            let due = state.waiting.filter { $0.due <= now }.sorted(by: MemoryRetryIndex.isEarlier)
            let taken = Array(due.prefix(count))
            for entry in taken {
                state.waiting.remove(entry)
                state.leased[entry] = now + duration
            }
            return RetryLease(entries: taken, taken: now, end: now + duration)
        }
    }

    package func complete(_ entries: [RetryEntry], in shard: RetryShard) {
        change(shard) { state, _ in
            for entry in entries where state.leased.removeValue(forKey: entry) == nil {
                state.waiting.remove(entry)
            }
        }
    }

    package func giveBack(_ lease: RetryLease, in shard: RetryShard) {
        change(shard) { state, _ in
            for entry in lease.entries where state.leased[entry] == lease.end {
                state.leased[entry] = nil
                state.waiting.insert(entry)
            }
        }
    }

    package func outlook(of shard: RetryShard) -> RetryOutlook {
        change(shard) { state, now in
            let next = [state.waiting.lazy.map(\.due).min(), state.leased.values.min()].compactMap { $0 }.min()
            return RetryOutlook(depth: state.waiting.count + state.leased.count, next: next, now: now)
        }
    }

    private func change<Answer>(_ shard: RetryShard, body: (inout State, Timestamp) -> Answer) -> Answer {
        let now = time.now
        return shelves.withLock { body(&$0[shard, default: State()], now) }
    }

    /// Entries due at the same time are sorted by their bytes, as in Redis.
    private static func isEarlier(_ left: RetryEntry, _ right: RetryEntry) -> Bool {
        left.due == right.due ? left.order.lexicographicallyPrecedes(right.order) : left.due < right.due
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = shelves.withLock { $0 }
        return { self.shelves.withLock { $0 = saved } }
    }
}
