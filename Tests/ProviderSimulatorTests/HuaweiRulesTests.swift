import HTTP2
import JSONKit
import ServiceKit
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct HuaweiRulesTests {
    @Test func handsOutATokenAndTakesABatch() throws {
        var fixture = try HuaweiFixture()
        let token = try fixture.token()
        let body = "{\"message\":{\"token\":[\"a\",\"b\"],\"data\":\"{\\\"task_id\\\":\\\"t1\\\"}\"}}"
        for path in ["/v1/100000001/messages:send", "/v2/200000002/messages:send"] {
            let verdict = fixture.send(body, token: token, path: path)
            #expect(verdict.answer?.status == 200)
            #expect(verdict.json?["code"]?.text == "80000000")
            #expect(verdict.deliveries.map(\.device) == ["a", "b"])
            #expect(verdict.deliveries.map(\.mark) == ["t1", "t1"])
        }
        #expect(fixture.send(body, token: token, path: "/v1/7/messages:send").answer?.status == 404)
    }

    @Test func refusesAForeignClient() throws {
        var fixture = try HuaweiFixture()
        #expect(fixture.fetchToken(secret: "guess").json?["error"]?.text == "1101")
        #expect(fixture.fetchToken(grant: "password").json?["error"]?.text == "1102")
        #expect(fixture.send("{}", token: "guess").code == "401 80200001")
    }

    @Test func tokensExpire() throws {
        var fixture = try HuaweiFixture()
        let token = try fixture.token()
        fixture.rules.changeCredentials(CredentialChange(expiresTokens: true))
        #expect(fixture.send("{}", token: token).code == "401 80200003")
    }

    @Test func tellsWhichTokensAreIllegal() throws {
        var fixture = try HuaweiFixture()
        let verdict = fixture.send(
            "{\"message\":{\"token\":[\"illegal-1\",\"b\",\"illegal-2\"]}}", token: try fixture.token())
        #expect(verdict.code == "200 80100000")
        let report = try JSON(try #require(verdict.json?["msg"]?.text))
        #expect(report["success"] == .integer(1) && report["failure"] == .integer(2))
        #expect(report["illegal_tokens"] == .array([.string("illegal-1"), .string("illegal-2")]))
        #expect(verdict.deliveries.map(\.device) == ["b"])
        #expect(verdict.refusal?.count == 2)
        let none = fixture.send("{\"message\":{\"token\":[\"illegal-1\"]}}", token: try fixture.token())
        #expect(none.code == "400 80300007")
        #expect(none.deliveries == [])
    }

    @Test(arguments: [
        ("{", "400 80100003"), ("{\"message\":{}}", "400 80100001"),
        ("{\"message\":{\"token\":[\"a\"],\"topic\":\"t\"}}", "400 80100001"),
        ("{\"message\":{\"token\":[]}}", "400 80300010"), ("{\"message\":{\"token\":[1]}}", "400 80100003"),
        ("{\"message\":{\"token\":[\"a\"],\"data\":{}}}", "400 80100003"),
        ("{\"message\":{\"token\":[\"a\"],\"android\":{\"ttl\":\"1296001s\"}}}", "400 80100004"),
        ("{\"message\":{\"token\":[\"a\"],\"android\":{\"collapse_key\":101}}}", "400 80100013"),
        ("{\"message\":{\"token\":[\"a\"],\"android\":{\"urgency\":\"MAX\"}}}", "400 80100001"),
        ("{\"message\":{\"token\":[\"a\"],\"android\":{\"notification\":{\"title\":\"t\"}}}}", "400 80100003"),
        (
            "{\"message\":{\"token\":[\"a\"],\"android\":{\"notification\":{\"click_action\":{\"type\":3}}}}}",
            "200 80000000"
        ),
        ("{\"message\":{\"token\":[\"forbidden-1\"]}}", "400 80300002"),
        ("{\"message\":{\"token\":[\"a\",\"internal-1\"]}}", "500 81000001"),
        ("{\"message\":{\"token\":[\"unavailable-1\"]}}", "503"),
    ])
    func answersInCodes(body: String, code: String) throws {
        var fixture = try HuaweiFixture()
        #expect(fixture.send(body, token: try fixture.token()).code == code)
    }

    private static let color = #"{"alpha":1,"red":0.5,"green":0,"blue":0}"#

    @Test(arguments: [
        (##""importance":"LOW","visibility":"SECRET","color":"#00ff7F","vibrate_config":["0s","0.5s"]"##, true),
        (#""light_settings":{"color":\#(color),"light_on_duration":"1s","light_off_duration":"0.05s"}"#, true),
        (#""importance":"HIGH""#, false), (#""visibility":"public""#, false), (#""color":"red""#, false),
        (#""vibrate_config":["1s","1s","1s","1s","1s","1s","1s","1s","1s","1s","1s"]"#, false),
        (#""vibrate_config":["61s"]"#, false), (#""vibrate_config":[1]"#, false),
        (#""light_settings":{"light_on_duration":"1s","light_off_duration":"1s"}"#, false),
    ])
    func checksTheAppearance(members: String, isAccepted: Bool) throws {
        var fixture = try HuaweiFixture()
        let body =
            #"{"message":{"token":["a"],"android":{"notification":{"click_action":{"type":3},\#(members)}}}}"#
        let code = fixture.send(body, token: try fixture.token()).code
        #expect(code == (isAccepted ? "200 80000000" : "400 80100001"))
    }

    @Test(arguments: [(1_000, "200 80000000"), (1_001, "400 80300010")])
    func boundsTheTokens(count: Int, code: String) throws {
        var fixture = try HuaweiFixture()
        // The tokens are far larger than the payload limit, and do not count towards it.
        let tokens = (0..<count).map { "\"\(String(repeating: "t", count: 100))\($0)\"" }.joined(separator: ",")
        let verdict = fixture.send("{\"message\":{\"token\":[\(tokens)],\"data\":\"x\"}}", token: try fixture.token())
        #expect(verdict.code == code)
    }

    @Test func boundsThePayload() throws {
        var fixture = try HuaweiFixture()
        let data = String(repeating: "x", count: 4_096)
        let verdict = fixture.send("{\"message\":{\"token\":[\"a\"],\"data\":\"\(data)\"}}", token: try fixture.token())
        #expect(verdict.code == "400 80300008")
    }
}

/// Huawei's rules with a separate app.
struct HuaweiFixture {
    var rules: HuaweiRules
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    private let account: HuaweiAccount

    init() throws {
        let folder = TemporaryDirectory("simulator")
        account = try HuaweiAccount(in: SimulatorFolder(folder.path))
        rules = HuaweiRules(account)
    }

    mutating func fetchToken(secret: String? = nil, grant: String = "client_credentials") -> Verdict {
        let secret = secret ?? account.clientSecret.reveal()
        let form = "grant_type=\(grant)&client_id=\(account.clientID)&client_secret=\(secret)"
        let request = HTTP2ServerRequest(
            method: "POST", path: HuaweiRules.tokenPath, headers: HTTP2Headers(), body: Array(form.utf8))
        return rules.judge(request, now: now)
    }

    mutating func token() throws -> String {
        try #require(fetchToken().json?["access_token"]?.text)
    }

    mutating func send(_ body: String, token: String, path: String = "/v1/100000001/messages:send") -> Verdict {
        let headers: HTTP2Headers = ["authorization": "Bearer \(token)"]
        let request = HTTP2ServerRequest(method: "POST", path: path, headers: headers, body: Array(body.utf8))
        return rules.judge(request, now: now)
    }
}

extension Verdict {
    /// A text such as `400 80100001`; the status alone if there is no code.
    fileprivate var code: String {
        let status = answer.map { String($0.status) } ?? "fault"
        return ([status] + [json?["code"]?.text].compactMap { $0 }).joined(separator: " ")
    }
}
