import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Signing
import Topics

/// The headers that pushes of one content to one push service share, for both clients.
struct WebPushHeaders: Sendable {
    let shared: HTTP2Headers
    let all: [HTTPClientRequest.Header]

    /// Four weeks, the longest that push services store a push.
    private static let lifeMaximum: Int64 = 2_419_200

    init(_ variant: RenderedVariant, token: VAPIDTokens.Token, origin: PushOrigin, now: Timestamp) {
        var shared = HTTP2Headers()
        var all: [HTTPClientRequest.Header] = []
        func append(_ name: String, _ value: String, indexing: HTTP2Headers.Indexing = .table) {
            shared.append(name, value, indexing: indexing)
            all.append(HTTPClientRequest.Header(name, value))
        }
        append("ttl", "\(WebPushHeaders.life(of: variant, origin: origin, now: now))", indexing: .nameOnly)
        append("urgency", variant.priority == .high ? "high" : "normal")
        if !variant.collapseID.isEmpty {
            append("topic", WebPushHeaders.topic(variant.collapseID), indexing: .nameOnly)
        }
        append("content-encoding", WebPushEncryption.contentEncoding)
        append("content-type", "application/octet-stream")
        // The same for each push on a connection until it is renewed, and longer than all the others.
        append("authorization", token.authorization.reveal())
        (self.shared, self.all) = (shared, all)
    }

    /// In seconds. Apple's manual asks for a positive number.
    private static func life(of variant: RenderedVariant, origin: PushOrigin, now: Timestamp) -> Int64 {
        let left = variant.expiration == 0 ? 0 : Int64(variant.expiration) - now.milliseconds / 1_000
        return min(max(left, origin.isWithin(["push.apple.com"]) ? 1 : 0), lifeMaximum)
    }

    /// A topic has at most 32 characters of base64url (RFC 8030, section 5.4), and a collapse id more and others.
    private static func topic(_ collapseID: String) -> String {
        Base64URL.encode(Array(SHA256.digest(of: Array(collapseID.utf8)).prefix(24)))
    }
}
