import ProviderKit
import Topics

/// Rejects pushes that Apple would not even accept as a request. Data from the bus is checked only as far as it could
/// harm a connection. Pushes of one content, which come together, are checked once for what they share.
struct APNsValidator {
    private var last: (content: PushContent, obstacle: ProviderAnswer?)?

    /// Nil if the push may be sent.
    mutating func obstacle(_ push: Push) -> ProviderAnswer? {
        if let obstacle = obstacle(push.content) { return obstacle }
        return APNsValidator.isToken(push.token) ? nil : APNsValidator.unsendable("BadPath")
    }

    private mutating func obstacle(_ content: PushContent) -> ProviderAnswer? {
        if let last, last.content === content { return last.obstacle }
        let obstacle = APNsValidator.obstacle(content.variant)
        last = (content, obstacle)
        return obstacle
    }

    private static func obstacle(_ variant: RenderedVariant) -> ProviderAnswer? {
        guard variant.pushType.utf8.count <= 64, variant.pushType.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
            return unsendable("InvalidPushType")
        }
        guard variant.collapseID.utf8.count <= 64, variant.collapseID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return unsendable("BadCollapseId") }
        return nil
    }

    private static func isToken(_ token: String) -> Bool {
        var token = token
        return token.withUTF8 { $0.count <= 200 && $0.allSatisfy(isHexadecimal) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The reason as Apple would state it, without its status.
    private static func unsendable(_ reason: String) -> ProviderAnswer {
        ProviderAnswer(.payloadRejected, reason: reason, status: 0)
    }
}
