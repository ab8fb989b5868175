package import PushModel

/// State of the registry as a whole.
package enum RegistryState: Hashable, Sendable {
    /// No registry exists: the store is new, or has lost its data.
    case absent
    /// It is being filled from the log; only the rebuild can access it.
    case rebuilding
    case ready
}

/// Maintenance of the registry, apart from its use. Every operation may be repeated.
package protocol RegistryMaintenance: Sendable {
    func state() async throws(StoreError) -> RegistryState
    /// Makes an empty registry ready if none exists, and leaves an existing one unchanged; concurrent calls are safe.
    func initialize() async throws(StoreError)
    /// Starts a new, empty registry: all users of the old one, including the projector, get `notReady` from now on, and
    /// its data is removed. A second call starts over.
    func beginRebuild() async throws(StoreError) -> any RegistryRefill
    /// One pass over all apps: removes remnants of interrupted operations and data that is no longer needed.
    func sweep() async throws(StoreError) -> SweepReport
}

/// Access to a registry while it is being filled. Only the rebuild may apply changes: with a change from the current
/// end of the log, its segment would skip everything older. `notReady` once another rebuild has begun.
package protocol RegistryRefill: RegistryProjection {
    /// Counts publications, as `TopicStatistics` does.
    func count(
        _ publications: [TopicPublication], from partition: Int32, in app: AppID
    ) async throws(StoreError)
    /// All changes are applied: the registry becomes ready. No effect if it already is.
    func finish() async throws(StoreError)
}

package struct SweepReport: Hashable, Sendable {
    /// Segments removed from the list of a topic because they were no longer needed.
    package var topicEntries = 0
    /// Removed devices whose last data was deleted.
    package var removedDevices = 0

    package init() {}
}
