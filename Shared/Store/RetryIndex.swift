/// What waits to be tried again, by the time it is due. It keeps orders as bytes and does not look into them.
///
/// Many schedulers share it. An entry is in one lease at a time; a lease that dies gives its entries back, so that
/// whatever its holder did not complete is taken up by another.
package protocol RetryIndex: Sendable {
    /// Durable when it returns. An entry that is there already, be it in a lease, stays as it is.
    func add(_ entries: [RetryEntry], to shard: RetryShard) async throws(StoreError)
    /// Takes what is due, the earliest first, for so long; first of all what dead leases gave back.
    func lease(upTo count: Int, for duration: Duration, in shard: RetryShard) async throws(StoreError) -> RetryLease
    /// These are done with, whoever holds them by now.
    func complete(_ entries: [RetryEntry], in shard: RetryShard) async throws(StoreError)
    /// Gives up the lease: what it still holds is due again at once.
    func giveBack(_ lease: RetryLease, in shard: RetryShard) async throws(StoreError)
    func outlook(of shard: RetryShard) async throws(StoreError) -> RetryOutlook
}

package enum RetryIndexBounds {
    /// Of one call; more are added in several.
    package static let entriesMaximum = 256
}
