import HTTP2
import JSONKit
import ServiceKit
import Signing
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct HTTPReceiverRulesTests {
    private static let body =
        #"{"event":"news","title":{"default":"It"},"message":{"default":"rings."},"data":{"task_id":"t1"}}"#
    private let now = Timestamp(milliseconds: 1_700_000_000_000)
    private let account: HTTPReceiverAccount
    private var rules: HTTPReceiverRules

    init() throws {
        account = try HTTPReceiverAccount(in: SimulatorFolder(TemporaryDirectory("simulator").path))
        rules = HTTPReceiverRules(account)
    }

    @Test mutating func takesAPush() {
        let verdict = send(HTTPReceiverRulesTests.body)
        #expect(verdict.answer?.status == 204)
        #expect(verdict.deliveries == [Delivery(device: "d1", mark: "t1", task: "t1")])
    }

    @Test(arguments: [
        "", "[]", #"{"event":1}"#, #"{"title":"text"}"#, #"{"title":{"default":1}}"#, #"{"message":[]}"#,
        #"{"data":"x"}"#,
    ])
    mutating func refusesAnotherBody(body: String) {
        let verdict = send(body)
        #expect(verdict.answer?.status == 400 && verdict.json?["error"]?.text == "bad_payload")
    }

    @Test(arguments: ["{}", #"{"event":null}"#, #"{"event":"news","title":{},"message":{},"data":{},"more":1}"#])
    mutating func takesAPartialBody(body: String) {
        #expect(send(body).answer?.status == 204)
    }

    @Test mutating func needsItsType() {
        #expect(send(HTTPReceiverRulesTests.body, headers: ["content-type": "text/plain"]).answer?.status == 400)
        let charset = send(HTTPReceiverRulesTests.body, headers: ["content-type": "application/json; charset=utf-8"])
        #expect(charset.answer?.status == 204)
    }

    @Test mutating func checksTheSignature() {
        let body = HTTPReceiverRulesTests.body
        let seconds = now.milliseconds / 1_000
        let valid = signature(of: body, at: seconds)
        let cases = [
            (valid, nil), (signature(of: body + " ", at: seconds), "bad_signature"),
            (valid.replacing("t=\(seconds)", with: "t=\(seconds + 1)"), "bad_signature"), ("v1=00", "bad_signature"),
            ("t=x,v1=00", "bad_signature"), (valid + ",v1=00", "bad_signature"),
            (signature(of: body, at: seconds - 301), "stale_signature"), (signature(of: body, at: seconds - 300), nil),
            (signature(of: body, at: seconds + 301), "stale_signature"),
            (signature(of: body, at: Int64.min), "stale_signature"),
        ]
        for (value, reason) in cases {
            let verdict = send(body, headers: ["carillon-signature": value])
            #expect(verdict.refusal?.reason == reason, "\(value)")
            #expect(verdict.answer?.status == (reason == nil ? 204 : 401))
        }
    }

    @Test mutating func requiresASignatureOnceTold() {
        rules.changeCredentials(CredentialChange(requiresSignature: true))
        #expect(send(HTTPReceiverRulesTests.body).refusal?.reason == "missing_signature")
        let seconds = now.milliseconds / 1_000
        let value = signature(of: HTTPReceiverRulesTests.body, at: seconds)
        let signed = send(HTTPReceiverRulesTests.body, headers: ["carillon-signature": value])
        #expect(signed.answer?.status == 204)
    }

    @Test(arguments: HTTPReceiverRules.errors.keys.sorted()) mutating func obeysTheNamesWord(word: String) throws {
        let (error, retryAfter) = try #require(HTTPReceiverRules.errors[word])
        let verdict = send(HTTPReceiverRulesTests.body, device: word + "-1")
        #expect(verdict.answer?.status == error.status && verdict.json?["error"]?.text == error.rawValue)
        #expect(verdict.answer?.headers["retry-after"] == retryAfter.map(String.init))
        #expect(verdict.deliveries == [])
    }

    @Test mutating func redirectsOnDemand() {
        let verdict = send(HTTPReceiverRulesTests.body, device: "redirect-1")
        #expect(verdict.answer?.status == 302 && verdict.answer?.headers["location"] == "/devices/elsewhere")
        #expect(verdict.deliveries == [])
    }

    @Test mutating func knowsItsAddresses() {
        #expect(send(HTTPReceiverRulesTests.body, device: "a/b").answer?.status == 404)
        #expect(send(HTTPReceiverRulesTests.body, method: "PUT").answer?.status == 405)
    }

    private func signature(of body: String, at seconds: Int64) -> String {
        let code = account.key.code(for: Array("\(seconds).\(body)".utf8))
        return "t=\(seconds),v1=\(Hexadecimal.encode(code))"
    }

    private mutating func send(
        _ body: String, device: String = "d1", method: String = "POST", headers changed: [String: String] = [:]
    ) -> Verdict {
        var headers = HTTP2Headers()
        for (name, value) in ["content-type": "application/json"].merging(changed, uniquingKeysWith: { $1 }) {
            headers.append(name, value)
        }
        let request = HTTP2ServerRequest(
            method: method, path: HTTPReceiverRules.devices.start + device, headers: headers, body: Array(body.utf8))
        return rules.judge(request, now: now)
    }
}
