import ServiceKit

/// How a task is to be delivered.
package struct TaskOptions: Sendable, Hashable {
    package enum Priority: String, Sendable {
        case normal
        case high
    }

    /// The raw value stands in messages and must not change.
    package enum Ambiguity: String, Sendable {
        /// What may have been delivered is sent again, and replaces itself on the screen.
        case atLeastOnce = "at_least_once"
        /// What may have been delivered is reported as unknown.
        case atMostOnce = "at_most_once"
    }

    /// What replaces an earlier push on the screen; derived from the task unless given.
    package var collapseID: String?
    package var priority = Priority.high
    /// How long providers keep trying, and how long we do.
    package var timeToLive = Duration.seconds(28 * 86_400)
    package var ambiguity = Ambiguity.atLeastOnce

    package init() {}
}
