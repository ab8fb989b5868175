import ServiceKit

/// The origin of a web page, as browsers send it in `Origin` (RFC 6454): scheme, host, and a port other than the
/// scheme's.
package struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// Completes "expected …".
    package static let rule =
        "an origin such as https://www.example.com, without a path; http only for localhost and 127.0.0.1"
    private static let bytesMaximum = 255

    private let text: String

    /// Nil for any other text, such as the origin `null` of a page without one.
    package init?(_ text: String) {
        guard text.utf8.count <= WebOrigin.bytesMaximum, text.utf8.allSatisfy({ $0 < 0x80 }),
            let address = WebAddress(text)
        else { return nil }
        let lower = text.lowercased()
        let scheme = "\(address.scheme.rawValue)://"
        let authority = lower.dropFirst(scheme.count)
        guard !authority.utf8.contains(where: { "/?#".utf8.contains($0) }) else { return nil }
        let usual = address.scheme == .https ? ":443" : ":80"
        let short = authority.hasSuffix(usual) ? authority.dropLast(usual.count) : authority
        guard address.scheme == .https || WebOrigin.isLocal(short) else { return nil }
        self.text = scheme + short
    }

    package var description: String { text }

    /// A page that is developed; its traffic does not leave the machine.
    private static func isLocal(_ authority: Substring) -> Bool {
        ["localhost", "127.0.0.1"].contains { authority == $0 || authority.hasPrefix("\($0):") }
    }
}
