/// A name that an app gives to what its tasks say, such as an order: of its tasks with one key the last accepted
/// counts.
package struct ReplacementKey: Hashable, Sendable, CustomStringConvertible {
    package static let bytesMaximum = 64
    /// Completes "expected …".
    package static let rule = "1 to \(bytesMaximum) visible ASCII characters without spaces"

    package let app: AppID
    package let text: String

    package init(_ text: String, of app: AppID) throws(InvalidValueError) {
        guard ReplacementKey.isAllowed(text) else { throw InvalidValueError("expected \(ReplacementKey.rule)") }
        self.app = app
        self.text = text
    }

    package static func isAllowed(_ text: String) -> Bool {
        (1...bytesMaximum).contains(text.utf8.count) && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    package var description: String { "\(app)/\(text)" }
}
