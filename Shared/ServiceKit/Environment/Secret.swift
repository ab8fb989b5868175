/// A password or key. It cannot print itself, so no log line or error message can carry it by accident.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    package init(_ value: String) {
        self.value = value
    }

    /// The only access to the value; the method's name makes each use visible in review.
    package func reveal() -> String {
        value
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
