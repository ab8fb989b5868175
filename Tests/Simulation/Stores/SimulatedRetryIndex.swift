import MemoryStore
import PushModel
import ServiceKit
import Store

struct SimulatedRetryIndex: RetryIndex {
    let base: MemoryRetryIndex
    let seam: Seam

    func add(_ entries: [RetryEntry], to shard: RetryShard) async throws(StoreError) {
        if seam.world.bug == .retryForgotten, seam.chance(10) { return }
        let isEarly = seam.world.bug == .releasedTooEarly && shard.kind == .tasks
        let entries = isEarly ? entries.map { RetryEntry(due: seam.clock.now, order: $0.order) } : entries
        return try await seam.call("retries.add") { base.add(entries, to: shard) }
    }

    func lease(upTo count: Int, for duration: Duration, in shard: RetryShard) async throws(StoreError) -> RetryLease {
        let outlook = base.outlook(of: shard)
        if seam.mayLookInPassing, outlook.depth == 0 {
            return RetryLease(entries: [], taken: outlook.now, end: outlook.now + duration)
        }
        let lease = try await seam.call("retries.lease") { base.lease(upTo: count, for: duration, in: shard) }
        if seam.world.bug == .retryLeftEarly { base.complete(lease.entries, in: shard) }
        return lease
    }

    func complete(_ entries: [RetryEntry], in shard: RetryShard) async throws(StoreError) {
        try await seam.call("retries.complete") { base.complete(entries, in: shard) }
    }

    func giveBack(_ lease: RetryLease, in shard: RetryShard) async throws(StoreError) {
        try await seam.call("retries.giveBack") { base.giveBack(lease, in: shard) }
    }

    func outlook(of shard: RetryShard) async throws(StoreError) -> RetryOutlook {
        let outlook = base.outlook(of: shard)
        if seam.mayLookInPassing, outlook.depth == 0 { return outlook }
        return try await seam.call("retries.outlook") { base.outlook(of: shard) }
    }
}
