/// Ends the doubt about a store that came back with older data, as part of a rebuild.
package protocol StoreDoubt: Sendable {
    func currentEpoch() async throws(StoreError) -> LedgerEpoch
    /// Removes all ledgers, retries and the agenda: they may be older than the work done. The tasks are then recovered
    /// as if the store had lost them.
    func removeWork() async throws(StoreError)
    /// The store was filled again, in this epoch. Returns false if another one has begun meanwhile: then data may be
    /// missing again.
    func trust(in epoch: LedgerEpoch) async throws(StoreError) -> Bool
}
