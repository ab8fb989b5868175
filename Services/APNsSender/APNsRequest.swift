import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Topics

/// Makes requests of pushes. Pushes of one variant share their headers, but for the id.
struct APNsRequest {
    private let topic: String
    private let authorization: String?
    private let limit: Duration
    private var shared: (variant: RenderedVariant, headers: HTTP2Headers)?

    /// Without a token the connection's certificate says who sends.
    init(topic: String, token: BearerToken?, limit: Duration) {
        self.topic = topic
        authorization = token.map { "bearer " + $0.value.reveal() }
        self.limit = limit
    }

    mutating func make(_ push: Push) -> HTTP2Request {
        var own = HTTP2Headers()
        own.append("apns-id", push.id.description, .nameOnly)
        return HTTP2Request(
            .post, "/3/device/" + push.token, sharedHeaders: headers(push.variant), headers: own, body: push.payload,
            limit: limit)
    }

    private mutating func headers(_ variant: RenderedVariant) -> HTTP2Headers {
        if let shared, shared.variant.hasHeaders(of: variant) { return shared.headers }
        let type = variant.pushType.isEmpty ? "alert" : variant.pushType
        var headers = HTTP2Headers()
        headers.append("apns-topic", topic + APNsPushType.topicSuffix(of: type))
        headers.append("apns-push-type", type)
        // Anything else is an error of a background notification.
        headers.append("apns-priority", variant.priority == .high && type != "background" ? "10" : "5")
        headers.append("apns-expiration", String(variant.expiration), .nameOnly)
        if !variant.collapseID.isEmpty { headers.append("apns-collapse-id", variant.collapseID, .nameOnly) }
        if let authorization { headers.append("authorization", authorization, .nameOnly) }
        shared = (variant, headers)
        return headers
    }

    /// Why Apple would not even take it for a request; nil when it would. What comes from the bus is believed no further
    /// than what it does to a connection.
    static func obstacle(_ push: Push) -> ProviderAnswer? {
        let variant = push.variant
        guard variant.pushType.utf8.count <= 64, variant.pushType.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
            return unsendable("InvalidPushType")
        }
        guard variant.collapseID.utf8.count <= 64, variant.collapseID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return unsendable("BadCollapseId") }
        let isToken = push.token.utf8.count <= 200 && push.token.utf8.allSatisfy(isHexadecimal)
        return isToken ? nil : unsendable("BadPath")
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// As Apple would have put it, without its status.
    private static func unsendable(_ reason: String) -> ProviderAnswer {
        ProviderAnswer(.payloadRejected, reason: reason, status: 0)
    }
}

extension RenderedVariant {
    fileprivate func hasHeaders(of other: RenderedVariant) -> Bool {
        pushType == other.pushType && priority == other.priority && expiration == other.expiration
            && collapseID == other.collapseID
    }
}
