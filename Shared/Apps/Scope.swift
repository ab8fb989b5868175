/// What a credential or an address range may do. No scope includes another.
package enum Scope: String, CaseIterable, Sendable, Comparable {
    /// Ring devices: topics, users, lists of devices.
    case publish
    /// Ring every device of the app at once.
    case broadcast
    /// Register devices and change their registration.
    case register
    /// Read tasks, reports and statistics.
    case read
    /// Cancel the tasks of others.
    case admin

    package static func < (left: Scope, right: Scope) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}
