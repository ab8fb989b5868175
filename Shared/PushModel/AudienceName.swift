import ServiceKit

/// The name of a saved audience of an app.
package struct AudienceName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let bytesMaximum = 64
    /// Completes "expected …".
    package static let rule = "1 to \(bytesMaximum) of a-z, 0-9, dot, hyphen and underscore"
    package let text: String

    package init(_ text: String) throws(InvalidValueError) {
        guard 1...AudienceName.bytesMaximum ~= text.utf8.count,
            text.utf8.allSatisfy({ $0.isASCIILowercase || $0.isASCIIDigit || "._-".utf8.contains($0) })
        else { throw InvalidValueError("expected \(AudienceName.rule)") }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: AudienceName, right: AudienceName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
