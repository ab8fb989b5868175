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

    /// With zero, providers try once.
    package static let timeToLiveAllowed = Duration.zero...Duration.seconds(28 * 86_400)
    private static let collapseIDBytesMaximum = 64

    /// A push replaces an earlier one with the same id on the screen; derived from the task or its key by default.
    package var collapseID: String?
    package var priority = Priority.high
    /// Time during which providers and Carillon try to deliver.
    package var timeToLive = Duration.seconds(28 * 86_400)
    package var ambiguity = Ambiguity.atLeastOnce

    package init() {}

    package static var collapseIDRule: String {
        "a string of 1 to \(collapseIDBytesMaximum) bytes without control characters"
    }

    package static func isCollapseID(_ text: String) -> Bool {
        1...collapseIDBytesMaximum ~= text.utf8.count && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
