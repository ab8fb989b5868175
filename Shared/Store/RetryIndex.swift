/// Pending retries by due time. It stores orders as bytes without interpreting them.
///
/// Many schedulers share it. An entry is in one lease at a time; an expired lease returns its entries, so that another
/// scheduler takes the uncompleted ones.
package protocol RetryIndex: Sendable {
    /// Durable when it returns. An entry that waits already stays unchanged; one that is leased waits once more, since
    /// its handler may put back the same order for the same time before the lease is completed.
    func add(_ entries: [RetryEntry], to shard: RetryShard) async throws(StoreError)
    /// Leases due entries for this time, the earliest first; entries of expired leases come before all others.
    func lease(upTo count: Int, for duration: Duration, in shard: RetryShard) async throws(StoreError) -> RetryLease
    /// Removes these entries, regardless of the present holder. One that is leased and was added again since waits.
    func complete(_ entries: [RetryEntry], in shard: RetryShard) async throws(StoreError)
    /// Ends the lease: entries it still holds are due again immediately.
    func giveBack(_ lease: RetryLease, in shard: RetryShard) async throws(StoreError)
    func outlook(of shard: RetryShard) async throws(StoreError) -> RetryOutlook
}

package enum RetryIndexBounds {
    /// Limit per call; larger sets are added in several calls.
    package static let entriesMaximum = 256
}
