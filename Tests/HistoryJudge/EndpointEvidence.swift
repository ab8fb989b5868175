package import PushModel

/// What the endpoints of an app accepted.
package struct EndpointEvidence: Sendable {
    /// False for an app without the endpoint.
    package var expectsReports = false
    package var expectsStates = false
    /// The bodies that were posted as the report of a task.
    package var reports: [TaskID: Set<[UInt8]>] = [:]
    /// The ids under which different bodies were posted.
    package var changedPosts: Set<String> = []
    /// In the order in which they were told, without repeats of a request.
    package var states: [TaskID: [ToldState]] = [:]
    /// How often the webhook was told that a device left.
    package var removals: [Int: Int] = [:]
    /// The devices that are not registered in the end.
    package var goneDevices: Set<Int> = []

    package init() {}
}
