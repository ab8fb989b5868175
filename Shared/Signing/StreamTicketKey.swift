package import PushModel

/// The key of an app's stream tickets. It cannot print itself.
package struct StreamTicketKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package static let codeBytes = SHA256.byteCount
    private static let label = "carillon stream tickets v1"

    private let bytes: [UInt8]
    private let key: HMACKey

    package init(secret: [UInt8], app: AppID) {
        bytes = SecretDerivation.key(StreamTicketKey.label, secret: secret, app: app)
        key = HMACKey(bytes)
    }

    package func code(for content: [UInt8]) -> [UInt8] {
        key.code(for: content)
    }

    /// Takes the same time for wrong and right codes.
    package func isCode(_ code: [UInt8], for content: [UInt8]) -> Bool {
        key.isCode(code, for: content)
    }

    package static func == (left: StreamTicketKey, right: StreamTicketKey) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
