/// The doubt in a store that came back with older data, as a rebuild ends it.
package protocol StoreDoubt: Sendable {
    func isDoubtful() async throws(StoreError) -> Bool
    /// Removes all ledgers, retries and the agenda: what they say may be older than what was done. The tasks are then
    /// recovered as if the store had lost them.
    func removeWork() async throws(StoreError)
    /// The store was filled again.
    func trust() async throws(StoreError)
}
