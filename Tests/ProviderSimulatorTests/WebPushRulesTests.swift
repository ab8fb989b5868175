import HTTP2
import JSONKit
import PushModel
import ServiceKit
import Signing
import Testing

@testable import ProviderSimulator

@Suite struct WebPushRulesTests {
    private static let apple = WebPushSubscriptions.Vendor.apple.addresses.start

    @Test func decryptsAndTakesAPush() throws {
        var fixture = try WebPushFixture()
        let content =
            #"{"web_push":8030,"notification":{"title":"t","navigate":"https://example.com/","data":{"task_id":"t1"}}}"#
        let verdict = try fixture.judge(WebPushFixture.Push(content: content))
        #expect(verdict.answer?.status == 201)
        #expect(verdict.answer?.headers["ttl"] == "60")
        #expect(verdict.answer?.headers["location"]?.hasPrefix(WebPushFixture.origin + "/messages/") == true)
        #expect(verdict.deliveries == [Delivery(device: "d1", mark: "t1", task: "t1")])
        #expect(verdict.shown == Array(content.utf8))
    }

    @Test func takesAPushWithoutContent() throws {
        var fixture = try WebPushFixture()
        let verdict = try fixture.judge(WebPushFixture.Push(headers: ["content-encoding": ""], body: []))
        #expect(verdict.summary == "201")
        #expect(verdict.shown == [])
        let encoded = try fixture.judge(WebPushFixture.Push(body: []))
        #expect(encoded.refusal?.reason == "BadContentEncoding")
    }

    @Test(arguments: [
        ("ttl", "", "BadTTL"), ("ttl", "-1", "BadTTL"), ("ttl", "1.5", "BadTTL"), ("ttl", "2147483648", "BadTTL"),
        ("ttl", "99999999999999999999", "BadTTL"), ("urgency", "urgent", "BadUrgency"),
        ("topic", "not allowed", "BadTopic"), ("topic", String(repeating: "x", count: 33), "BadTopic"),
        ("topic", "a+b=", "BadTopic"), ("content-encoding", "", "BadContentEncoding"),
        ("content-encoding", "aesgcm", "BadContentEncoding"), ("content-length", "7", "BadContentLength"),
    ])
    func checksTheHeaders(name: String, value: String, reason: String) throws {
        var fixture = try WebPushFixture()
        let verdict = try fixture.judge(WebPushFixture.Push(headers: [name: value]))
        #expect(verdict.answer?.status == 400)
        #expect(verdict.json?["error"]?.text == reason && verdict.refusal?.reason == reason)
        #expect(verdict.deliveries == [])
    }

    @Test(arguments: [("urgency", ""), ("topic", ""), ("topic", String(repeating: "x", count: 32)), ("ttl", "0")])
    func acceptsWhatIsOptionalOrAtItsLimit(name: String, value: String) throws {
        var fixture = try WebPushFixture()
        #expect(try fixture.judge(WebPushFixture.Push(headers: [name: value])).answer?.status == 201)
    }

    @Test(arguments: [
        ("aud", "\"https://localhost:2\"", "BadAudience"), ("aud", "", "BadAudience"),
        ("aud", "[\"https://localhost:1\"]", "BadAudience"), ("exp", "", "BadExpiry"), ("exp", "\"soon\"", "BadExpiry"),
        ("exp", "1699999999", "BadExpiry"), ("exp", "1700086401", "BadExpiry"),
        ("exp", "9223372036854775807", "BadExpiry"), ("exp", "-9223372036854775808", "BadExpiry"),
        ("sub", "", "BadSubject"), ("sub", "\"push@example.com\"", "BadSubject"),
        ("sub", "\"http://example.com\"", "BadSubject"), ("sub", "\"mailto:@example.com\"", "BadSubject"),
    ])
    func checksTheClaims(name: String, value: String, reason: String) throws {
        var fixture = try WebPushFixture()
        let authorization = try fixture.authorization(claims: [name: value])
        let verdict = try fixture.judge(WebPushFixture.Push(headers: ["authorization": authorization]))
        #expect(verdict.answer?.status == 401)
        #expect(verdict.refusal?.reason == reason)
    }

    @Test(arguments: [("exp", "1700086400"), ("exp", "1700000000"), ("sub", "\"https://example.com/contact\"")])
    func acceptsClaimsAtTheirLimits(name: String, value: String) throws {
        var fixture = try WebPushFixture()
        let authorization = try fixture.authorization(claims: [name: value])
        let verdict = try fixture.judge(WebPushFixture.Push(headers: ["authorization": authorization]))
        #expect(verdict.answer?.status == 201)
    }

    @Test func checksTheSignature() throws {
        var fixture = try WebPushFixture()
        let valid = try fixture.authorization()
        let other = try VAPIDKey.generated()
        let key = fixture.key.publicText
        let wrong = [
            valid.replacing(key, with: other.publicText), valid.replacing("vapid ", with: "Bearer "),
            valid.replacing(", k=\(key)", with: ""), valid + ", k=\(key)", valid + ", x=1",
            valid.replacing(key, with: String(key.dropLast())), "vapid", "vapid t=a.b.c, k=\(key)",
            valid.replacing(key, with: Base64URL.encode([4] + Array(repeating: 1, count: 64))),
        ]
        for authorization in wrong {
            let verdict = try fixture.judge(WebPushFixture.Push(headers: ["authorization": authorization]))
            #expect(verdict.answer?.status == 401)
            #expect(verdict.refusal?.reason == "BadAuthorization", "\(authorization)")
        }
        let none = try fixture.judge(WebPushFixture.Push(headers: ["authorization": ""]))
        #expect(none.refusal?.reason == "MissingAuthorization")
        let swapped = valid.split(separator: " ", maxSplits: 1)[1].split(separator: ", ").reversed()
        let accepted = try fixture.judge(
            WebPushFixture.Push(headers: ["authorization": "VAPID " + swapped.joined(separator: ",")]))
        #expect(accepted.answer?.status == 201)
    }

    @Test func aTokenExpiresWhileItIsCached() throws {
        var fixture = try WebPushFixture()
        let headers = ["authorization": try fixture.authorization()]
        #expect(try fixture.judge(WebPushFixture.Push(headers: headers)).answer?.status == 201)
        fixture.now = fixture.now + .seconds(43_201)
        #expect(try fixture.judge(WebPushFixture.Push(headers: headers)).refusal?.reason == "BadExpiry")
    }

    @Test func refusesForeignKeysOnceToldItsOwn() throws {
        var fixture = try WebPushFixture()
        let other = try VAPIDKey.generated()
        for (text, summary) in [(other.publicText, "ForeignKey"), (fixture.key.publicText, nil), ("any", nil)] {
            let keys = try #require(VAPIDTokens.AcceptedKeys(text))
            fixture.rules.changeCredentials(CredentialChange(applicationKeys: keys))
            let verdict = try fixture.judge(WebPushFixture.Push())
            #expect(verdict.refusal?.reason == summary)
            #expect(verdict.answer?.status == (summary == nil ? 201 : 403))
            #expect(verdict.json?["message"]?.text == (summary == nil ? nil : "VAPID public key mismatch"))
        }
        for text in ["", "none", "BA", Base64URL.encode([4] + Array(repeating: 1, count: 64))] {
            #expect(VAPIDTokens.AcceptedKeys(text) == nil)
        }
    }

    @Test func refusesWhatItsBrowserCannotRead() throws {
        var fixture = try WebPushFixture()
        let foreign = try fixture.encrypted(WebPushFixture.content, for: "another")
        var changed = try fixture.encrypted(WebPushFixture.content, for: "d1")
        changed[changed.count - 1] ^= 1
        for body in [foreign, changed, Array(changed.prefix(80)), [0]] {
            let verdict = try fixture.judge(WebPushFixture.Push(body: body))
            #expect(verdict.summary == "400" && verdict.refusal?.reason == "Undecipherable")
        }
    }

    /// The body is readable, but its key is also the one that signs.
    @Test func refusesOneKeyForBothPurposes() throws {
        var fixture = try WebPushFixture()
        let browser = fixture.subscriptions.browser(of: "d1")
        let sender = ECDHKey.generated()
        let keys = try #require(WebPushKeys(publicKey: browser.key.publicPoint, secret: browser.secret))
        let body = try WebPushEncryption.encryptReproducibly(
            Array(WebPushFixture.content.utf8), for: keys, sender: sender, salt: SecureRandom.bytes(16))
        #expect(try fixture.judge(WebPushFixture.Push(body: body)).answer?.status == 201)
        #expect(throws: WebPushRefusal.undecipherable) {
            try WebPushContent(body, for: browser, senderKey: sender.publicPoint)
        }
    }

    @Test func boundsTheBody() throws {
        var fixture = try WebPushFixture()
        let largest = String(repeating: "x", count: WebPushEncryption.plaintextBytesMaximum)
        #expect(try fixture.judge(WebPushFixture.Push(content: largest)).answer?.status == 201)
        let verdict = try fixture.judge(WebPushFixture.Push(body: Array(repeating: 0, count: 4_097)))
        #expect(verdict.answer?.status == 413 && verdict.refusal?.reason == "PayloadTooLarge")
    }

    @Test(arguments: [
        #"{"web_push":8030}"#, #"{"web_push":8030,"notification":{"navigate":"https://example.com/"}}"#,
        #"{"web_push":8030,"notification":{"title":"t"}}"#,
        #"{"web_push":8030,"notification":{"title":"","navigate":"https://example.com/"}}"#,
        #"{"web_push":8030,"notification":{"title":"t","navigate":"page"}}"#,
    ])
    func refusesAnIncompleteDeclarativeMessage(content: String) throws {
        var fixture = try WebPushFixture()
        let verdict = try fixture.judge(WebPushFixture.Push(content: content))
        #expect(verdict.refusal?.reason == "BadDeclarativeMessage")
    }

    @Test(arguments: [
        #"{"data":{"task_id":"t1"}}"#, "plain text",
        #"{"web_push":8030,"notification":{"title":"t","navigate":"/","data":{"task_id":"t1"}}}"#,
    ])
    func takesOtherContent(content: String) throws {
        var fixture = try WebPushFixture()
        let verdict = try fixture.judge(WebPushFixture.Push(content: content))
        #expect(verdict.answer?.status == 201)
        #expect(verdict.deliveries.map(\.task) == [content.hasPrefix("{") ? "t1" : nil])
    }

    @Test func knowsItsAddresses() throws {
        var fixture = try WebPushFixture()
        for (start, name) in [("/push/", "a/b"), ("/push/", "d?x"), ("/other/", "d1"), ("/push/", "%41")] {
            let verdict = try fixture.judge(WebPushFixture.Push(name: name, start: start))
            #expect(verdict.answer?.status == 404)
        }
        #expect(try fixture.judge(WebPushFixture.Push(method: "PUT")).answer?.status == 405)
    }

    @Test(arguments: WebPushName.refusals.keys.sorted()) func obeysTheNamesWord(word: String) throws {
        var fixture = try WebPushFixture()
        let (refusal, retryAfter) = try #require(WebPushName.refusals[word])
        let verdict = try fixture.judge(WebPushFixture.Push(name: word + "-1"))
        #expect(verdict.answer?.status == refusal.status && verdict.refusal?.reason == refusal.rawValue)
        #expect(verdict.answer?.headers["retry-after"] == retryAfter.map(String.init))
        let apple = try fixture.judge(WebPushFixture.Push(name: word + "-1", start: WebPushRulesTests.apple))
        #expect(apple.summary == "\(refusal.asApple.status) \(refusal.asApple.reason)")
    }

    @Test(arguments: TokenPrefix.faults.keys.sorted()) func misbehavesOnDemand(word: String) throws {
        var fixture = try WebPushFixture()
        let verdict = try fixture.judge(WebPushFixture.Push(name: word + "-1"))
        guard case .fault(let fault) = verdict.reaction else {
            Issue.record("expected a fault for \(word)")
            return
        }
        #expect(fault == TokenPrefix.faults[word])
    }

    @Test(arguments: [
        ("mailto:push@localhost", "403 BadJwtToken"), ("mailto:push@mail.localhost", "403 BadJwtToken"),
        ("https://a.invalid/contact", "403 BadJwtToken"), ("mailto:push@example.com", "201"),
        ("https://localhost.example/", "201"),
    ])
    func appleWantsAReachableContact(contact: String, summary: String) throws {
        var fixture = try WebPushFixture()
        let authorization = try fixture.authorization(claims: ["sub": JSONText.quoted(contact)])
        let push = WebPushFixture.Push(start: WebPushRulesTests.apple, headers: ["authorization": authorization])
        #expect(try fixture.judge(push).summary == summary)
        let other = WebPushFixture.Push(headers: ["authorization": authorization])
        #expect(try fixture.judge(other).answer?.status == 201)
    }

    @Test func appleNamesItsReasons() throws {
        var fixture = try WebPushFixture()
        let cases = [
            (["ttl": ""], "400 BadWebPushTTL"), (["topic": "a b"], "400 BadWebPushTopic"),
            (["urgency": "x"], "400 BadWebPushUrgency"), (["authorization": ""], "403 BadJwtToken"),
        ]
        for (headers, summary) in cases {
            let push = WebPushFixture.Push(start: WebPushRulesTests.apple, headers: headers)
            #expect(try fixture.judge(push).summary == summary)
        }
        let other = try #require(VAPIDTokens.AcceptedKeys(try VAPIDKey.generated().publicText))
        fixture.rules.changeCredentials(CredentialChange(applicationKeys: other))
        let foreign = try fixture.judge(WebPushFixture.Push(start: WebPushRulesTests.apple))
        #expect(foreign.summary == "400 VapidPkHashMismatch")
    }

    @Test func keysDeriveFromNameAndSeed() throws {
        let subscriptions = WebPushSubscriptions(seed: "a")
        let same = WebPushSubscriptions(seed: "a")
        let other = WebPushSubscriptions(seed: "b")
        let points = [
            subscriptions.browser(of: "d1"), subscriptions.browser(of: "d2"), other.browser(of: "d1"),
        ].map(\.key.publicPoint)
        #expect(Set(points).count == 3)
        #expect(same.browser(of: "d1").key.publicPoint == points[0])
        #expect(same.browser(of: "d1").secret == subscriptions.browser(of: "d1").secret)
        let document = try JSON(same.json(of: "d1", at: .apple, origin: "https://localhost:1"))
        #expect(document["endpoint"]?.text == "https://localhost:1/apple/d1")
        #expect(document["expirationTime"] == .null)
        #expect(document["keys"]?["p256dh"]?.text.flatMap { Base64URL.decode($0) } == points[0])
        #expect(document["keys"]?["auth"]?.text.flatMap { Base64URL.decode($0) }?.count == 16)
    }
}
