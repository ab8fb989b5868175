import ServiceKit

/// Why bytes are no JSON document that may be taken.
package struct JSONError: RetriableError, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        case tooLarge
        case tooDeep
        case tooManyValues
        case nameTooLong
        case repeatedName
        case invalidUTF8
        case tooManyMarks
        case syntax
        case outOfMemory
    }

    package let code: Code
    package let message: String
    /// Where it went wrong, as far as that is one place.
    package let position: JSONPosition?

    package var isRetriable: Bool { code == .outOfMemory }

    package var description: String {
        position.map { "line \($0.line), column \($0.column): \(message)" } ?? message
    }
}
