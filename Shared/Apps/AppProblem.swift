/// Something about an app's file that its owner should mend.
package struct AppProblem: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: Sendable {
        /// The file as it stands cannot be used.
        case error
        /// It is used; something that needs what is missing will fail.
        case warning
    }

    package let severity: Severity
    package let file: String
    /// Empty where the file as a whole is meant.
    package let field: String
    /// What is wrong and how it should be.
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
