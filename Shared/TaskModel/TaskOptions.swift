import ServiceKit

/// Delivery options of a task.
package struct TaskOptions: Sendable, Hashable {
    package enum Priority: String, Sendable {
        case normal
        case high
    }

    /// The raw value is used in messages and must not change.
    package enum Ambiguity: String, Sendable {
        /// A push that may have been delivered is sent again; it replaces the first on the screen.
        case atLeastOnce = "at_least_once"
        /// A push that may have been delivered is reported as unknown.
        case atMostOnce = "at_most_once"
    }

    /// A push replaces an earlier one with the same id on the screen; derived from the task or its key by default.
    package var collapseID: String?
    package var priority = Priority.high
    /// Time during which providers and Carillon try to deliver.
    package var timeToLive = Duration.seconds(28 * 86_400)
    package var ambiguity = Ambiguity.atLeastOnce

    package init() {}
}
