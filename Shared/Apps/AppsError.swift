import ServiceKit

/// An operation on the folder of the apps, or on a file in it, failed.
package struct AppsError: RetriableError, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        case exists
        case missing
        case invalid
        case unsafe
        case unreadable
        case unwritable
    }

    package let code: Code
    package let message: String

    /// All errors need a change by the operator.
    package var isRetriable: Bool { false }
    package var description: String { message }
}
