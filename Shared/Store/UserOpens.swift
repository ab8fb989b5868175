/// What the opens of users teach; only users who opened a push have a record. It is a hint: a store that loses it costs
/// what was learnt, and nothing else.
package protocol UserOpens: Sendable {
    /// Nil also for one in the format of another version.
    func record(of user: UserKey) async throws(StoreError) -> OpenRecord?
    /// Changes the record of a user, unless the change leaves it as it is; nil for none. One without opens is removed.
    /// If others change the record at the same time, the change is made again, on the newer one, so it must be
    /// repeatable. Returns whether the record was changed; false also after `UserOpenBounds.attempts`, which gives the
    /// change up. Throws `full` if the store is; callers then continue.
    func update(
        _ user: UserKey, _ change: @Sendable (inout OpenRecord?) -> Void
    ) async throws(StoreError) -> Bool
    func forget(_ user: UserKey) async throws(StoreError)
}

package enum UserOpenBounds {
    package static let attempts = 16
}
