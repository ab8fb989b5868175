/// Ends the doubt about a store that came back with older data, as part of a rebuild.
package protocol StoreDoubt: Sendable {
    func isDoubtful() async throws(StoreError) -> Bool
    /// Removes all ledgers, retries and the agenda: they may be older than the work done. The tasks are then recovered
    /// as if the store had lost them.
    func removeWork() async throws(StoreError)
    /// The store has been filled again.
    func trust() async throws(StoreError)
}
