/// A problem in an app file that its owner should fix.
package struct AppProblem: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: Sendable {
        /// The current version of the file is not used.
        case error
        /// The file is used; operations that need the missing part will fail.
        case warning
    }

    package let severity: Severity
    package let file: String
    /// Empty for the file as a whole.
    package let field: String
    /// The error and how to fix it.
    package let message: String

    package var description: String {
        field.isEmpty ? "\(file): \(message)" : "\(file): \(field): \(message)"
    }

    static func error(_ file: String, field: String = "", message: String) -> AppProblem {
        AppProblem(severity: .error, file: file, field: field, message: message)
    }

    static func warning(_ file: String, field: String = "", message: String) -> AppProblem {
        AppProblem(severity: .warning, file: file, field: field, message: message)
    }
}
