/// Where a registry stands as a whole.
package enum RegistryState: Hashable, Sendable {
    /// There is none: the store is new, or has lost what it held.
    case absent
    /// It is being filled from the log, and answers nobody but whoever fills it.
    case rebuilding
    case ready
}

/// What keeps a registry whole, beside its use. Every operation may be repeated.
package protocol RegistryMaintenance: Sendable {
    func state() async throws(StoreError) -> RegistryState
    /// Makes an empty registry ready where there is none, and leaves any other as it is: several may do it at once.
    func initialize() async throws(StoreError)
    /// Starts a new registry, empty: whoever used the old one, the projector too, hears `notReady` from now on, and what it
    /// held is removed. A begin after a begin starts over.
    func beginRebuild() async throws(StoreError) -> any RegistryRefill
    /// One pass over all apps: removes what was left by operations that were cut off, and what nobody needs any more.
    func sweep() async throws(StoreError) -> SweepReport
}

/// The way into a registry that is being filled. Nobody else may apply to it: a change that came from the present end of
/// the log would have its segment pass over everything older. `notReady` once another rebuild began.
package protocol RegistryRefill: RegistryProjection {
    /// Everything is applied: the registry answers again. Does nothing when it is ready already.
    func finish() async throws(StoreError)
}

package struct SweepReport: Hashable, Sendable {
    /// Segments that were no longer needed in the list of a topic.
    package var topicEntries = 0
    /// Removed devices whose last trace is gone.
    package var removedDevices = 0

    package init() {}
}
