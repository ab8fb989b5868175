import HTTP2
import JSONKit
import ServiceKit
import Signing
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct GoogleRulesTests {
    @Test func handsOutATokenAndTakesAPush() throws {
        var fixture = try GoogleFixture()
        let answer = try #require(try fixture.fetchToken().answer)
        #expect(answer.status == 200)
        let document = try JSON(answer.body)
        #expect(document["expires_in"] == .integer(3_600))
        let verdict = fixture.send(
            "{\"message\":{\"token\":\"d1\",\"data\":{\"task_id\":\"t1\"}}}", token: try fixture.token())
        #expect(verdict.answer?.status == 200)
        #expect(verdict.json?["name"]?.text?.hasPrefix("projects/news/messages/") == true)
        #expect(verdict.deliveries == [Delivery(device: "d1", mark: "t1", task: "t1")])
    }

    @Test(arguments: [
        ("iss", "\"somebody\"", "invalid_grant"), ("aud", "\"https://elsewhere/token\"", "invalid_grant"),
        ("scope", "\"https://www.googleapis.com/auth/drive\"", "invalid_scope"),
        ("exp", "1700003601", "invalid_grant"), ("iat", "1699990000", "invalid_grant"),
        ("exp", "1700000000", "invalid_grant"), ("exp", "9223372036854775807", "invalid_grant"),
        ("iat", "-9223372036854775808", "invalid_grant"),
    ])
    func checksTheClaims(name: String, value: String, error: String) throws {
        var fixture = try GoogleFixture()
        let verdict = try fixture.fetchToken(claims: [name: value])
        #expect(verdict.answer?.status == 400)
        #expect(verdict.json?["error"]?.text == error)
    }

    @Test func rejectsOtherSigners() throws {
        var fixture = try GoogleFixture()
        #expect(try fixture.fetchToken(signedBy: try SigningKey.generated(for: .rs256)).answer?.status == 400)
        #expect(fixture.send("{}", token: "ya29.guess").answer?.status == 401)
        let token = try fixture.token()
        #expect(fixture.send("{}", token: token, path: "/v1/projects/other/messages:send").answer?.status == 403)
        let lost = fixture.send("{}", token: token, path: "/v1/batch")
        #expect(lost.answer?.status == 404)
        #expect(lost.json?["error"]?["details"] == nil)
    }

    @Test func tokensExpire() throws {
        var fixture = try GoogleFixture()
        let push = "{\"message\":{\"token\":\"d1\"}}"
        let token = try fixture.token()
        fixture.rules.changeCredentials(CredentialChange(expiresTokens: true))
        #expect(fixture.send(push, token: token).answer?.status == 401)
        fixture.rules.changeCredentials(CredentialChange(age: .seconds(5)))
        let short = try fixture.token()
        #expect(fixture.send(push, token: short).answer?.status == 200)
        fixture.now = fixture.now + .seconds(5)
        #expect(fixture.send(push, token: short).json?["error"]?["status"]?.text == "UNAUTHENTICATED")
    }

    private static func notification(_ name: String, _ value: String) -> String {
        "{\"message\":{\"token\":\"d\",\"android\":{\"notification\":{\"\(name)\":\(value)}}}}"
    }

    @Test(arguments: [
        ("{", "message"), ("{}", "message"), ("{\"message\":{}}", "message"),
        ("{\"message\":{\"token\":\"d\",\"topic\":\"t\"}}", "message"),
        ("{\"message\":{\"token\":\"d\",\"data\":{\"a\":1}}}", "message.data[a]"),
        ("{\"message\":{\"token\":\"d\",\"data\":{\"from\":\"x\"}}}", "message.data[from]"),
        ("{\"message\":{\"token\":\"d\",\"data\":{\"google.x\":\"x\"}}}", "message.data[google.x]"),
        ("{\"message\":{\"token\":\"d\",\"android\":{\"ttl\":\"2419201s\"}}}", "message.android.ttl"),
        ("{\"message\":{\"token\":\"d\",\"android\":{\"ttl\":60}}}", "message.android.ttl"),
        ("{\"message\":{\"token\":\"d\",\"android\":{\"priority\":\"MAX\"}}}", "message.android.priority"),
        (notification("notification_priority", "1"), "message.android.notification.notification_priority"),
        (notification("visibility", "\"hidden\""), "message.android.notification.visibility"),
        (notification("color", "\"#FF00FF00\""), "message.android.notification.color"),
        (notification("vibrate_timings", "[\"500\"]"), "message.android.notification.vibrate_timings"),
        (notification("light_settings", "{\"color\":{}}"), "message.android.notification.light_settings"),
    ])
    func refusesABadMessage(body: String, field: String) throws {
        var fixture = try GoogleFixture()
        let verdict = fixture.send(body, token: try fixture.token())
        #expect(verdict.answer?.status == 400)
        let error = verdict.json?["error"]
        #expect(error?["status"]?.text == "INVALID_ARGUMENT")
        #expect(error?["details"]?.elements?.first?["fieldViolations"]?.elements?.first?["field"]?.text == field)
    }

    @Test(arguments: [(4_096, 200), (4_097, 400)]) func boundsThePayload(byteCount: Int, status: Int) throws {
        var fixture = try GoogleFixture()
        let text = String(repeating: "x", count: byteCount - 1)
        let verdict = fixture.send(
            "{\"message\":{\"token\":\"d\",\"data\":{\"k\":\"\(text)\"}}}", token: try fixture.token())
        #expect(verdict.answer?.status == status)
    }

    @Test func onlyValidatesWhenAsked() throws {
        var fixture = try GoogleFixture()
        let verdict = fixture.send("{\"validate_only\":true,\"message\":{\"token\":\"d\"}}", token: try fixture.token())
        #expect(verdict.answer?.status == 200)
        #expect(verdict.deliveries == [])
    }

    @Test(arguments: GoogleTokenPrefix.errors.keys.sorted()) func obeysTheTokensPrefix(prefix: String) throws {
        var fixture = try GoogleFixture()
        let verdict = fixture.send("{\"message\":{\"token\":\"\(prefix)-1\"}}", token: try fixture.token())
        let (error, retryAfter) = try #require(GoogleTokenPrefix.errors[prefix])
        #expect(verdict.answer?.status == error.status)
        #expect(verdict.answer?.headers["retry-after"] == retryAfter.map(String.init))
        let code = verdict.json?["error"]?["details"]?.elements?.first?["errorCode"]?.text
        #expect(code == error.reason && verdict.refusal?.reason == code)
    }

    @Test func wordsNeedTheirHyphen() throws {
        var fixture = try GoogleFixture()
        for token in ["unregistered", "drop:APA91b-x", "drops-1"] {
            let verdict = fixture.send("{\"message\":{\"token\":\"\(token)\"}}", token: try fixture.token())
            #expect(verdict.deliveries.map(\.device) == [token])
        }
    }
}

/// Google's rules with a separate service account.
struct GoogleFixture {
    static let origin = "https://localhost:1"
    static let tokenURL = origin + GoogleRules.tokenPath

    var rules: GoogleRules
    var now = Timestamp(milliseconds: 1_700_000_000_000)
    private let account: GoogleAccount
    private let key: SigningKey

    /// Shared by all tests, since an RSA key is slow to generate.
    private static let sharedAccount = Result { try GoogleAccount(project: "news") }

    init() throws {
        account = try GoogleFixture.sharedAccount.get()
        let folder = TemporaryDirectory("simulator")
        let file = try account.write(in: SimulatorFolder(folder.path), tokenURL: GoogleFixture.tokenURL)
        let text = try #require(SmallFile.read(file, bytesMaximum: 1 << 16))
        let pem = try #require(try JSON(text)["private_key"]?.text)
        key = try SigningKey(pem: Secret(pem), from: file, for: .rs256)
        rules = GoogleRules(account)
        rules.changeCredentials(CredentialChange(origin: GoogleFixture.origin))
    }

    /// `claims` replaces the valid claims, as JSON.
    mutating func fetchToken(claims changed: [String: String] = [:], signedBy other: SigningKey? = nil) throws
        -> Verdict
    {
        let seconds = now.milliseconds / 1_000
        var claims = [
            "iss": JSONText.quoted(account.email), "aud": JSONText.quoted(GoogleFixture.tokenURL),
            "scope": "\"https://www.googleapis.com/auth/firebase.messaging\"", "iat": "\(seconds)",
            "exp": "\(seconds + 3_600)",
        ]
        claims.merge(changed) { $1 }
        let assertion = try JWTSigner(key: other ?? key).sign { json in
            for (name, value) in claims { json.member(name, json: value) }
        }
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion.reveal()
        let request = HTTP2ServerRequest(
            method: "POST", path: "/token", headers: HTTP2Headers(), body: Array(form.utf8))
        return rules.judge(request, now: now)
    }

    mutating func token() throws -> String {
        try #require(try fetchToken().json?["access_token"]?.text)
    }

    mutating func send(
        _ body: String, token: String, path: String = "/v1/projects/news/messages:send"
    ) -> Verdict {
        let headers: HTTP2Headers = ["authorization": "Bearer \(token)"]
        let request = HTTP2ServerRequest(method: "POST", path: path, headers: headers, body: Array(body.utf8))
        return rules.judge(request, now: now)
    }
}
