import ProviderKit
import PushModel
import Topics

/// Rejects pushes that Apple would not even accept as a request. Data from the bus is checked only as far as it could
/// harm a connection. Pushes of one content, which come together, are checked once for what they share.
struct APNsValidator {
    private var shared = PerContent<ProviderAnswer?>()

    /// Nil if the push may be sent.
    mutating func obstacle(_ push: Push) -> ProviderAnswer? {
        let obstacle = shared.value(of: push.content) { APNsValidator.obstacle($0.variant) }
        if let obstacle { return obstacle }
        let isToken =
            push.content.variant.kind == .channel
            ? RequestText.isHeaderWord(push.token, bytesMaximum: 256) : APNsValidator.isToken(push.token)
        return isToken ? nil : APNsValidator.unsendable("BadPath")
    }

    private static func obstacle(_ variant: RenderedVariant) -> ProviderAnswer? {
        guard RequestText.isHeaderWord(variant.pushType, bytesMaximum: 64) else {
            return unsendable("InvalidPushType")
        }
        guard RequestText.isHeaderText(variant.collapseID, bytesMaximum: 64) else {
            return unsendable("BadCollapseId")
        }
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
