import ServiceKit

/// Why bytes are refused as a JSON document.
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
    /// Position of the error; nil if it has no single position.
    package let position: JSONPosition?

    package var isRetriable: Bool { code == .outOfMemory }

    package var description: String {
        position.map { "line \($0.line), column \($0.column): \(message)" } ?? message
    }
}
