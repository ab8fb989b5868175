import COpenSSL

/// A key for HMAC-SHA-256. It cannot print itself, so no log line or error message can carry it by accident.
package struct HMACKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let start: HMACStart

    package init(_ bytes: [UInt8]) {
        start = HMACStart(bytes)
    }

    package func code(for message: [UInt8]) -> [UInt8] {
        start.outer.finish(start.inner.finish(message))
    }

    /// Takes the same time for wrong and right codes.
    package func isCode(_ code: [UInt8], for message: [UInt8]) -> Bool {
        ConstantTime.areEqual(code, self.code(for: message))
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
