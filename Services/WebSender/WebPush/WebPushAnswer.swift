import HTTP2
import HTTPClient
import JSONKit
import ProviderKit
import PushModel
import ServiceKit

/// Decodes the answers of push services: a status, and for errors a text or JSON with the reason.
enum WebPushAnswer {
    private static let limits = JSONLimits(bytesMaximum: OriginRequests.responseBytesMaximum, depthMaximum: 4)
    /// What Mozilla's, Google's and Apple's services say of a subscription that was made with another key.
    private static let textsOfOtherKey = [
        "VAPID public key mismatch", "do not correspond to the credentials used to create the subscription",
        WebPushErrorTable.otherKey,
    ]

    static func read(_ response: HTTP2Response, now: Timestamp) -> ProviderAnswer {
        answer(response.status, body: response.body, retryAfter: response.retryAfter(now: now))
    }

    static func read(_ response: HTTPClientResponse, now: Timestamp) -> ProviderAnswer {
        answer(response.status, body: response.body, retryAfter: response.retryAfter(now: now))
    }

    private static func answer(_ status: Int, body: [UInt8], retryAfter: Duration?) -> ProviderAnswer {
        guard !(200...299 ~= status) else { return WebPushErrorTable.table.answer(status: status) }
        let reason = reason(in: body)
        let isOfOtherKey = textsOfOtherKey.contains { reason.utf8.firstRange(of: $0.utf8) != nil }
        return WebPushErrorTable.table.answer(
            status: status, word: isOfOtherKey ? WebPushErrorTable.otherKey : "", reason: OutcomeReason.cut(reason),
            retryAfter: retryAfter)
    }

    /// Apple's `reason`, Mozilla's `message`, or the text that Google answers with; empty for anything else.
    private static func reason(in body: [UInt8]) -> String {
        if let json = try? JSON(body, limits: limits) {
            return (json["reason"] ?? json["message"] ?? json["error"])?.text ?? ""
        }
        guard let text = OutsideText.string(body[...]), !text.hasPrefix("<") else { return "" }
        return String(text.prefix { !$0.isNewline })
    }
}
