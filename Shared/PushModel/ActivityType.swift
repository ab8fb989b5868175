import ServiceKit

/// The type of an app's Live Activities: the name of its attributes type in Swift.
package struct ActivityType: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let bytesMaximum = 128
    /// Completes "expected …".
    package static let rule = "the name of a Swift type: 1 to \(bytesMaximum) of A-Z, a-z, 0-9, _ and ."
    /// Of a token that its app registered without a type: it serves every type that the device has no token for.
    package static let any = ActivityType()

    package let text: String

    private init() {
        text = ""
    }

    package init(_ text: String) throws(InvalidValueError) {
        guard 1...ActivityType.bytesMaximum ~= text.utf8.count,
            text.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "_.".utf8.contains($0) })
        else { throw InvalidValueError("expected \(ActivityType.rule)") }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: ActivityType, right: ActivityType) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
