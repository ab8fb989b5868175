import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Signing
import Topics

/// Builds requests from pushes. Pushes of one variant share their headers.
struct WNSRequest {
    static let tagBytesMaximum = 16
    private static let types = ["wns/toast", "wns/tile", "wns/badge", "wns/raw"]

    private let authorization: String
    private let addresses: AddressPolicy
    private let now: Timestamp
    private var shared = PerContent<[HTTPClientRequest.Header]?>()

    init(token: BearerToken, addresses: AddressPolicy, now: Timestamp) {
        authorization = token.authorization
        self.addresses = addresses
        self.now = now
    }

    mutating func make(_ push: Push) -> OriginRequests.Prepared {
        guard let headers = shared.value(of: push.content, make: headers) else {
            return .unsendable("InvalidPushType")
        }
        return .ready(
            HTTPClientRequest(
                .post, url: push.token, to: .untrusted(addresses), headers: headers, body: push.payload))
    }

    /// Nil for a type that WNS does not have.
    private func headers(_ content: PushContent) -> [HTTPClientRequest.Header]? {
        let variant = content.variant
        guard WNSRequest.types.contains(variant.pushType) else { return nil }
        let isRaw = variant.pushType == "wns/raw"
        var headers = [
            HTTPClientRequest.Header("Authorization", authorization),
            HTTPClientRequest.Header("Content-Type", isRaw ? "application/octet-stream" : "text/xml"),
            HTTPClientRequest.Header("X-WNS-Type", variant.pushType),
            // Without it WNS keeps a raw push never, and every other one for days.
            HTTPClientRequest.Header("X-WNS-Cache-Policy", variant.expiration > 0 ? "cache" : "no-cache"),
        ]
        if variant.expiration > 0 {
            let left = Int64(variant.expiration) - now.milliseconds / 1_000
            headers.append(.init("X-WNS-TTL", String(max(1, left))))
        }
        // A raw push and a badge have no tag.
        if !variant.collapseID.isEmpty, ["wns/toast", "wns/tile"].contains(variant.pushType) {
            headers.append(.init("X-WNS-Tag", WNSRequest.tag(variant.collapseID)))
        }
        return headers
    }

    /// The id itself if WNS takes it, else its hash.
    static func tag(_ collapseID: String) -> String {
        let isTag = collapseID.utf8.count <= tagBytesMaximum && collapseID.utf8.allSatisfy(\.isASCIILetterOrDigit)
        if isTag { return collapseID }
        return Hexadecimal.encode(Array(SHA256.digest(of: Array(collapseID.utf8)).prefix(tagBytesMaximum / 2)))
    }
}
