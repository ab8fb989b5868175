/// Where a registry stands as a whole.
package enum RegistryState: Hashable, Sendable {
    /// There is none: the store is new, or has lost what it held.
    case absent
    /// It is being filled from the log, and answers nobody but the projector.
    case rebuilding
    case ready
}

/// What keeps a registry whole, beside its use. Every operation may be repeated.
package protocol RegistryMaintenance: Sendable {
    func state() async throws(StoreError) -> RegistryState
    /// Starts a new registry, empty: whoever used the old one hears `notReady` from now on, and what it held is removed.
    /// Until it is finished only `RegistryProjection` works. A begin after a begin starts over.
    func beginRebuild() async throws(StoreError)
    /// Everything is applied: the registry answers again. Does nothing when it is ready already.
    func finishRebuild() async throws(StoreError)
    /// One pass over all apps: removes what was left by operations that were cut off, and what nobody needs any more.
    func sweep() async throws(StoreError) -> SweepReport
}

package struct SweepReport: Hashable, Sendable {
    /// Segments that were no longer needed in the list of a topic.
    package var topicEntries = 0
    /// Removed devices whose last trace is gone.
    package var removedDevices = 0

    package init() {}
}
