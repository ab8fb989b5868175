import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Signing

/// One encrypted push.
struct WebPushRequest: Sendable {
    let address: String
    let path: String
    let headers: WebPushHeaders
    let body: [UInt8]

    var forPool: HTTP2Request {
        var own = HTTP2Headers()
        own.append("content-length", "\(body.count)", indexing: .nameOnly)
        return HTTP2Request(.post, path, sharedHeaders: headers.shared, headers: own, body: body)
    }

    func forClient(_ addresses: AddressPolicy) -> HTTPClientRequest {
        HTTPClientRequest(.post, url: address, to: .untrusted(addresses), headers: headers.all, body: body)
    }
}

/// Makes the requests to one push service with one token.
struct WebPushForm {
    private let token: VAPIDTokens.Token
    private let origin: PushOrigin
    private let now: Timestamp
    private var headers = PerContent<WebPushHeaders>()

    init(token: VAPIDTokens.Token, origin: PushOrigin, now: Timestamp) {
        self.token = token
        self.origin = origin
        self.now = now
    }

    enum Draft {
        case request(WebPushRequest)
        /// The push cannot be sent.
        case obstacle(PushOutcome)
    }

    mutating func make(_ push: Push) -> Draft {
        guard let path = WebPushForm.path(of: push.token) else { return .obstacle(.unsendable("BadAddress")) }
        guard let keys = push.webPushKeys else { return .obstacle(.unreachable("MissingKeys")) }
        do throws(WebPushError) {
            let body = try WebPushEncryption.encrypt(push.payload, for: keys)
            let headers = headers.value(of: push.content) { content in
                WebPushHeaders(content.variant, token: token, origin: origin, now: now)
            }
            return .request(WebPushRequest(address: push.token, path: path, headers: headers, body: body))
        } catch {
            switch error {
            case .tooLarge: return .obstacle(.unsendable("PayloadTooLarge"))
            case .notOnCurve: return .obstacle(.unreachable("InvalidKeys"))
            default: return .obstacle(.notSent(error.description))
            }
        }
    }

    /// What follows the host; nil unless it consists of visible ASCII characters, as browsers write addresses.
    private static func path(of address: String) -> String? {
        let afterScheme = address.utf8.dropFirst("https://".utf8.count)
        let path = afterScheme.drop { !"/?#".utf8.contains($0) }.prefix { $0 != UInt8(ascii: "#") }
        guard path.allSatisfy({ 0x21..<0x7F ~= $0 }) else { return nil }
        let text = String(Substring(path))
        return text.utf8.first == UInt8(ascii: "/") ? text : "/" + text
    }
}

extension PushOutcome {
    /// No push can ever be encrypted for the device.
    fileprivate static func unreachable(_ reason: String) -> PushOutcome {
        .answered(ProviderAnswer(.invalidDevice(since: nil), reason: reason, status: 0))
    }
}
