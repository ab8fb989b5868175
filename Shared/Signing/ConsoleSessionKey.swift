/// The key of the console's sessions. It cannot print itself.
package struct ConsoleSessionKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package static let codeBytes = SHA256.byteCount
    private static let label = "carillon console sessions v1"

    private let key: HMACKey

    package init(secret: [UInt8]) {
        key = HMACKey(SecretDerivation.key(ConsoleSessionKey.label, secret: secret))
    }

    package func code(for content: [UInt8]) -> [UInt8] {
        key.code(for: content)
    }

    /// Takes the same time for wrong and right codes.
    package func isCode(_ code: [UInt8], for content: [UInt8]) -> Bool {
        key.isCode(code, for: content)
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
