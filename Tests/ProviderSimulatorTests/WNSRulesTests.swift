import HTTP2
import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct WNSRulesTests {
    private static let badge = "<badge value=\"3\"/>"
    private static let tile =
        "<tile><visual><binding template='TileText03'><text id='1'>x</text></binding></visual></tile>"

    @Test func handsOutATokenAndTakesAToast() throws {
        var fixture = try WNSFixture()
        let token = try fixture.token()
        let verdict = fixture.send(WNSFixture.toast(launch: "{&quot;task_id&quot;:&quot;t1&quot;}"), token: token)
        #expect(verdict.answer?.status == 200)
        #expect(verdict.answer?.headers["x-wns-status"] == "received")
        #expect(verdict.answer?.headers["x-wns-msg-id"] != nil)
        #expect(verdict.deliveries == [Delivery(device: "d1", mark: "t1", task: "t1")])
        #expect(fixture.fetchToken().json?["expires_in"] == .integer(86_400))
    }

    @Test func theNewerEndpointHasItsOwnScope() throws {
        var fixture = try WNSFixture()
        let path = "/\(fixture.account.tenant)/oauth2/v2.0/token"
        let token = fixture.fetchToken(scope: "https://wns.windows.com/.default", path: path)
        let text = try #require(token.json?["access_token"]?.text)
        #expect(fixture.send(WNSFixture.toast(), token: text).answer?.status == 200)
        #expect(fixture.fetchToken(path: path).json?["error"]?.text == "invalid_scope")
    }

    @Test func refusesAForeignClient() throws {
        var fixture = try WNSFixture()
        #expect(fixture.fetchToken(secret: "guess").json?["error"]?.text == "invalid_client")
        #expect(fixture.fetchToken(grant: "password").json?["error"]?.text == "unsupported_grant_type")
        #expect(fixture.fetchToken(scope: "other").json?["error"]?.text == "invalid_scope")
        let unknown = fixture.send(WNSFixture.toast(), token: "guess")
        #expect(unknown.answer?.status == 401 && unknown.refusal?.reason == "Unauthorized")
        let token = try fixture.token()
        fixture.rules.changeCredentials(CredentialChange(expiresTokens: true))
        #expect(fixture.send(WNSFixture.toast(), token: token).answer?.status == 401)
    }

    @Test(arguments: [
        ("x-wns-type", "", 400, "BadType"), ("x-wns-type", "wns/sound", 400, "BadType"),
        ("content-type", "", 400, "BadContentType"), ("content-type", "application/json", 400, "BadContentType"),
        ("content-length", "", 400, "MissingContentLength"), ("x-wns-ttl", "0", 400, "BadTTL"),
        ("x-wns-ttl", "soon", 400, "BadTTL"), ("x-wns-tag", "seventeen12345678", 400, "BadTag"),
        ("x-wns-tag", "a-b", 400, "BadTag"), ("x-wns-group", "a b", 400, "BadTag"),
        ("x-wns-cache-policy", "maybe", 400, "BadCachePolicy"),
        ("x-wns-requestforstatus", "yes", 400, "BadRequestForStatus"),
        ("content-type", "text/xml; charset=utf-8", 200, nil),
        ("x-wns-ttl", "60", 200, nil), ("x-wns-tag", "sixteen123456789", 200, nil),
        ("x-wns-cache-policy", "no-cache", 200, nil), ("x-wns-requestforstatus", "true", 200, nil),
    ])
    func checksTheHeaders(name: String, value: String, status: Int, reason: String?) throws {
        var fixture = try WNSFixture()
        let verdict = fixture.send(WNSFixture.toast(), token: try fixture.token(), headers: [name: value])
        #expect(verdict.answer?.status == status)
        #expect(verdict.refusal?.reason == reason)
        #expect(verdict.answer?.headers["x-wns-error-description"] == reason)
    }

    @Test(arguments: [
        ("wns/toast", "<toast><visual></toast>", "BadPayload"), ("wns/toast", "<toast/>", "BadPayload"),
        ("wns/toast", WNSRulesTests.badge, "BadPayload"), ("wns/tile", WNSRulesTests.tile, nil),
        ("wns/tile", "<tile/>", "BadPayload"), ("wns/badge", WNSRulesTests.badge, nil),
        ("wns/badge", "<badge value='newMessage'/>", nil), ("wns/badge", "<badge value='-1'/>", "BadPayload"),
        ("wns/badge", "<badge/>", "BadPayload"), ("wns/raw", "{\"task_id\":\"t1\"}", nil),
        ("wns/raw", "", "BadPayload"),
        ("wns/raw", String(repeating: "x", count: 5_001), "PayloadTooLarge"),
        ("wns/raw", String(repeating: "x", count: 5_000), nil),
    ])
    func checksThePayload(type: String, body: String, reason: String?) throws {
        var fixture = try WNSFixture()
        let contentType = type == "wns/raw" ? "application/octet-stream" : "text/xml"
        let verdict = fixture.send(
            body, token: try fixture.token(), headers: ["x-wns-type": type, "content-type": contentType])
        #expect(verdict.refusal?.reason == reason)
        #expect(verdict.deliveries.count == (reason == nil ? 1 : 0))
        if body.hasPrefix("{") { #expect(verdict.deliveries.first?.task == "t1") }
    }

    @Test(arguments: WNSName.effects.keys.sorted()) func obeysTheNamesWord(word: String) throws {
        var fixture = try WNSFixture()
        let verdict = fixture.send(WNSFixture.toast(), token: try fixture.token(), channel: word + "-1")
        #expect(verdict.deliveries == [])
        switch try #require(WNSName.effects[word]) {
        case .refusal(let error, let retryAfter):
            #expect(verdict.answer?.status == error.status && verdict.refusal?.reason == error.rawValue)
            #expect(verdict.answer?.headers["retry-after"] == retryAfter.map(String.init))
        case .status(let status):
            #expect(verdict.answer?.status == 200 && verdict.answer?.headers["x-wns-status"] == status)
            #expect(verdict.refusal?.reason == status)
        }
    }

    @Test func knowsItsAddresses() throws {
        var fixture = try WNSFixture()
        let token = try fixture.token()
        #expect(fixture.send(WNSFixture.toast(), token: token, channel: "a&b").answer?.status == 404)
        #expect(fixture.send(WNSFixture.toast(), token: token, method: "GET").answer?.status == 405)
        let asked = AskedError(status: 503, reason: "Unavailable", retryAfter: 7)
        let request = HTTP2ServerRequest(method: "POST", path: "/?token=d1", headers: HTTP2Headers())
        let answer = fixture.rules.answer(asked, to: request, now: fixture.now)
        #expect(answer.status == 503 && answer.headers["retry-after"] == "7")
    }
}

/// WNS with its own app.
struct WNSFixture {
    var rules: WNSRules
    let account: WNSAccount
    let now = Timestamp(milliseconds: 1_700_000_000_000)

    init() throws {
        let folder = TemporaryDirectory("simulator")
        account = try WNSAccount(in: SimulatorFolder(folder.path))
        rules = WNSRules(account)
    }

    static func toast(launch: String = "") -> String {
        """
        <toast launch="\(launch)"><visual><binding template="ToastText02"><text id="1">It rings.</text></binding>\
        </visual></toast>
        """
    }

    mutating func fetchToken(
        secret: String? = nil, grant: String = "client_credentials", scope: String = "notify.windows.com",
        path: String = WNSRules.tokenPath
    ) -> Verdict {
        let secret = secret ?? account.clientSecret.reveal()
        let id = PercentEncoding.encode(account.clientID)
        let form = "grant_type=\(grant)&client_id=\(id)&client_secret=\(secret)&scope=\(PercentEncoding.encode(scope))"
        let request = HTTP2ServerRequest(method: "POST", path: path, headers: HTTP2Headers(), body: Array(form.utf8))
        return rules.judge(request, now: now)
    }

    mutating func token() throws -> String {
        guard let token = fetchToken().json?["access_token"]?.text else {
            throw SetupError(description: "the simulated WNS handed out no token")
        }
        return token
    }

    /// An empty value leaves the field out.
    mutating func send(
        _ body: String, token: String, channel: String = "d1", method: String = "POST",
        headers changed: [String: String] = [:]
    ) -> Verdict {
        var fields = [
            "authorization": "Bearer \(token)", "x-wns-type": "wns/toast", "content-type": "text/xml",
            "content-length": "\(body.utf8.count)",
        ]
        fields.merge(changed) { $1 }
        var headers = HTTP2Headers()
        for (name, value) in fields where !value.isEmpty { headers.append(name, value) }
        let request = HTTP2ServerRequest(
            method: method, path: WNSRules.channels.start + channel, headers: headers, body: Array(body.utf8))
        return rules.judge(request, now: now)
    }
}
