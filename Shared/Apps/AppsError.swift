import ServiceKit

/// Why the folder of the apps, or a file in it, could not be used as asked.
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

    /// Each waits for somebody to change something.
    package var isRetriable: Bool { false }
    package var description: String { message }
}
