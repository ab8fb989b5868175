import HTTP2
import PushModel
import ServiceKit
import Signing

@testable import ProviderSimulator

/// A Web Push service, and a publisher whose pushes it accepts unless a test changes them.
struct WebPushFixture {
    static let origin = "https://localhost:1"
    static let content = #"{"web_push":8030,"notification":{"title":"It rings.","navigate":"https://example.com/"}}"#

    let subscriptions = WebPushSubscriptions(seed: "tests")
    var rules: WebPushRules
    var now = Timestamp(milliseconds: 1_700_000_000_000)
    let key: VAPIDKey

    init() throws {
        key = try VAPIDKey.generated()
        rules = WebPushRules(subscriptions)
        rules.changeCredentials(CredentialChange(origin: WebPushFixture.origin))
    }

    /// `claims` replaces valid claims, as JSON; an empty one is left out.
    func authorization(claims changed: [String: String] = [:]) throws -> String {
        let seconds = now.milliseconds / 1_000
        var claims = [
            "aud": JSONText.quoted(WebPushFixture.origin), "exp": "\(seconds + 43_200)",
            "sub": JSONText.quoted("mailto:push@example.com"),
        ]
        claims.merge(changed) { $1 }
        let signer = JWTSigner(
            key: try SigningKey(pem: try key.privateKeyText(), from: "the test", for: .es256))
        let token = try signer.sign { json in
            for (name, value) in claims where !value.isEmpty { json.member(name, json: value) }
        }
        return "vapid t=\(token.reveal()), k=\(key.publicText)"
    }

    func encrypted(_ content: String, for name: String) throws -> [UInt8] {
        let browser = subscriptions.browser(of: name)
        let keys = WebPushKeys(publicKey: browser.key.publicPoint, secret: browser.secret)
        guard let keys else { return [] }
        return try WebPushEncryption.encrypt(Array(content.utf8), for: keys)
    }

    struct Push {
        var method = "POST"
        var name = "d1"
        /// The start of the path.
        var start = WebPushSubscriptions.Vendor.any.addresses.start
        /// An empty value leaves the field out.
        var headers: [String: String] = [:]
        var content = WebPushFixture.content
        /// Nil for the encrypted content.
        var body: [UInt8]?
    }

    mutating func judge(_ push: Push) throws -> Verdict {
        let body = try push.body ?? encrypted(push.content, for: push.name)
        var fields = [
            "ttl": "60", "urgency": "high", "topic": "Zm9v-_09", "content-encoding": "aes128gcm",
            "content-length": "\(body.count)", "content-type": "application/octet-stream",
        ]
        if push.headers["authorization"] == nil { fields["authorization"] = try authorization() }
        fields.merge(push.headers) { $1 }
        var headers = HTTP2Headers()
        for (name, value) in fields where !value.isEmpty { headers.append(name, value) }
        return rules.judge(
            HTTP2ServerRequest(method: push.method, path: push.start + push.name, headers: headers, body: body),
            now: now)
    }
}
