import HTTP2
import JSONKit
import PushModel
import ServiceKit
import Signing
import TLSSocket
import TestSupport

/// A push service on loopback over HTTP/2: answers as scripted and records the requests.
final class TestPushService: Sendable {
    let server: HTTP2Server
    private let seen: Monitor<[HTTP2ServerRequest]>

    /// The script gets the request and its number, counted from one.
    init(
        _ authority: TestAuthority, address: String = "127.0.0.1",
        script: @escaping @Sendable (HTTP2ServerRequest, Int) -> HTTP2Reaction = { _, _ in .status(201) }
    ) throws {
        let seen = Monitor<[HTTP2ServerRequest]>([])
        var configuration = HTTP2ServerConfiguration(
            tls: TLSServerConfiguration(certificateFile: authority.certificateFile, privateKeyFile: authority.keyFile))
        configuration.address = address
        server = try HTTP2Server(configuration, log: quietLog) { request in
            let number = seen.change { seen in
                seen.append(request)
                return seen.count
            }
            return script(request, number)
        }
        self.seen = seen
    }

    var host: String { "localhost:\(server.port)" }
    var origin: String { "https://\(host)" }
    var requests: [HTTP2ServerRequest] { seen.withLock { $0 } }

    func addresses(_ count: Int) -> [String] { (0..<count).map { "\(origin)/push/\($0)" } }

    /// Waits until `count` requests have arrived; false on timeout.
    func hasSeen(_ count: Int) async -> Bool {
        await blocking { [seen] in
            seen.wait(timeout: .hangLimit) { $0.count >= count ? true : nil } ?? false
        }
    }
}

extension HTTP2Reaction {
    static func status(_ status: Int, body: String = "", headers: HTTP2Headers = [:]) -> HTTP2Reaction {
        .answer(HTTP2Answer(status, headers: headers, body: Array(body.utf8)))
    }
}

/// The parts of a VAPID header.
struct VAPIDHeader {
    let token: JSONWebToken
    let text: String
    let key: String
    let claims: JSON

    /// Nil unless the token is signed by the key beside it.
    init?(_ value: String?) {
        let prefix = "vapid t="
        guard let value, value.hasPrefix(prefix) else { return nil }
        let parts = value.dropFirst(prefix.utf8.count).split(separator: ", k=").map(String.init)
        guard parts.count == 2, let token = JSONWebToken(parts[0]), let point = Base64URL.decode(parts[1]),
            let key = VerificationKey(p256Point: point), token.isSigned(by: key), let claims = try? JSON(token.claims)
        else { return nil }
        (self.token, text, self.key, self.claims) = (token, parts[0], parts[1], claims)
    }
}
