/// A permission of a credential or an address range. No scope includes another.
package enum Scope: String, CaseIterable, Sendable, Comparable {
    /// Send pushes to topics, users and lists of devices.
    case publish
    /// Send pushes to all devices of the app.
    case broadcast
    /// Register devices and change their registration.
    case register
    /// Read tasks, reports and statistics.
    case read
    /// Listen to what is sent to topics, and let others listen.
    case listen
    /// Cancel the tasks of others, replay dead letters, and see who has keys.
    case admin

    package static func < (left: Scope, right: Scope) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}
