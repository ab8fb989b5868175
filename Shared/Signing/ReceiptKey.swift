package import PushModel

/// The key of an app's receipts. It cannot print itself.
package struct ReceiptKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Receipts of an installation are verified with the same keys as long as this label and the secret remain.
    private static let label = "carillon receipts v1"

    private let bytes: [UInt8]
    private let key: HMACKey

    package init(secret: [UInt8], app: AppID) {
        bytes = SecretDerivation.key(ReceiptKey.label, secret: secret, app: app)
        key = HMACKey(bytes)
    }

    package func taskKey(of task: TaskID) -> TaskReceiptKey {
        guard let key = TaskReceiptKey(bytes: Array(key.code(for: task.bytes).prefix(TaskReceiptKey.byteCount))) else {
            preconditionFailure("a code has 32 bytes")
        }
        return key
    }

    package static func == (left: ReceiptKey, right: ReceiptKey) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
