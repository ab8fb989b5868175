/// A store that can come back with older data, as Redis does after a failover or from a backup. The registry is none:
/// its own log refills it.
package protocol Revertible: Sendable {
    /// Keeps the present state; the result sets the store back to it.
    func savedState() -> @Sendable () -> Void
}
