/// The key that the proofs of one task are made with. It travels with the task, so that renderer and senders need no
/// secret of the installation. It cannot print itself.
package struct TaskReceiptKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Nil for another number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == TaskReceiptKey.byteCount else { return nil }
        self.bytes = bytes
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
