import HTTP2
import JSONKit
import ServiceKit
import Signing
import TLSSocket
import TestSupport

let quietLog = Log(service: "simulator-tests", level: .error, sink: CollectingSink())

/// A connection pool with the credentials for the simulator's Apple.
struct ApplePool {
    let pool: HTTP2Pool
    private let headers: HTTP2Headers
    private let liveActivityHeaders: HTTP2Headers

    /// `tokenAge` is the age of the provider token in seconds.
    init(_ simulator: SimulatorProcess, tokenAge: Int = 0) throws {
        let key = try SigningKey(file: simulator.text("apns", "key_file"), for: .es256)
        let issued = Int(SystemTimeSource().now.milliseconds / 1_000) - tokenAge
        let token = try JWTSigner(key: key, keyID: simulator.text("apns", "key_id")).sign { claims in
            claims.member("iss", simulator.text("apns", "team_id"))
            claims.member("iat", issued)
        }
        let (authorization, topic) = ("bearer " + token.reveal(), simulator.text("apns", "topic"))
        headers = ["authorization": authorization, "apns-topic": topic, "apns-push-type": "alert"]
        liveActivityHeaders = [
            "authorization": authorization, "apns-topic": topic + ".push-type.liveactivity",
            "apns-push-type": "liveactivity", "apns-priority": "5",
        ]
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = simulator.text("ca_file")
        configuration.reconnectBackoff = Backoff(first: .milliseconds(5), longest: .milliseconds(50))
        pool = HTTP2Pool(
            HTTP2Endpoint(host: "localhost", port: simulator.port("apns")), configuration: configuration, log: quietLog,
            metrics: Metrics())
    }

    /// Returns the same push for the same device number.
    func push(device number: Int) -> HTTP2Request {
        let digits = String(number, radix: 16)
        let name = "123e4567-e89b-42d3-a456-" + String(repeating: "0", count: 12 - digits.count) + digits
        return HTTP2Request(
            .post, "/3/device/" + ApplePool.token(number), sharedHeaders: headers, headers: ["apns-id": name],
            body: Array("{\"aps\":{\"alert\":\"It rings.\"}}".utf8))
    }

    func push(to token: String, liveActivity body: String) -> HTTP2Request {
        HTTP2Request(.post, "/3/device/" + token, sharedHeaders: liveActivityHeaders, body: Array(body.utf8))
    }

    /// A call about a channel, or a broadcast.
    func call(
        _ method: HTTP2Request.Method, _ path: String, headers: HTTP2Headers = HTTP2Headers(), body: String = ""
    ) -> HTTP2Request {
        var shared = HTTP2Headers()
        if let authorization = self.headers["authorization"] { shared.append("authorization", authorization) }
        return HTTP2Request(method, path, sharedHeaders: shared, headers: headers, body: Array(body.utf8))
    }

    func push(to token: String, alert body: String) -> HTTP2Request {
        HTTP2Request(.post, "/3/device/" + token, sharedHeaders: headers, body: Array(body.utf8))
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }
}

/// The assertion by which a service account requests an access token.
enum GoogleAssertion {
    static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    static func make(_ account: JSON) throws -> String {
        let key = try SigningKey(
            pem: Secret(account["private_key"]?.text ?? ""), from: "the service account", for: .rs256)
        let now = Int(SystemTimeSource().now.milliseconds / 1_000)
        return try JWTSigner(key: key, keyID: account["private_key_id"]?.text).sign { claims in
            claims.member("iss", account["client_email"]?.text ?? "")
            claims.member("scope", "https://www.googleapis.com/auth/firebase.messaging")
            claims.member("aud", account["token_uri"]?.text ?? "")
            claims.member("iat", now)
            claims.member("exp", now + 3_600)
        }.reveal()
    }
}

extension HTTP2Outcome {
    private var response: HTTP2Response? {
        guard case .answered(let response) = self else { return nil }
        return response
    }

    var status: Int? { response?.status }

    var text: String { String(decoding: response?.body ?? [], as: UTF8.self) }

    func header(_ name: String) -> String? { response?.headers[name] }
}
