package import PushModel
import ServiceKit

/// The address at which a push service reaches the publisher (RFC 8292, section 2.1).
package enum WebPushContact {
    package static let rule =
        "a mailto: address such as mailto:push@example.com, or an https:// address, of at most \(bytesMaximum) bytes"

    private static let bytesMaximum = 256
    private static let scheme = Array("mailto:".utf8)

    /// Some push services refuse a token whose contact has another form.
    package static func isOne(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= bytesMaximum, bytes.allSatisfy({ 0x21...0x7E ~= $0 && !"<>\"".utf8.contains($0) }) else {
            return false
        }
        guard bytes.starts(with: scheme) else { return WebAddress(text)?.scheme == .https }
        let parts = bytes.dropFirst(scheme.count).split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }

    /// Has the right form, but no mailbox.
    package static func placeholder(for app: AppID) -> String {
        "mailto:postmaster@\(app).invalid"
    }
}
