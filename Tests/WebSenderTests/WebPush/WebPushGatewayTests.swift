import HTTP2
import HTTPClient
import JSONKit
import ProviderKit
import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing
import Topics

@testable import WebSender

/// The gateway against real push services on loopback.
@Suite(.timeLimit(.minutes(2))) struct WebPushGatewayTests {
    private let browser = TestBrowser()

    /// Goal: what a browser gets is what was rendered, and a push service finds each header as the standards ask. Method:
    /// the same pushes to a service with connections of its own, and to one that is reached as any server is.
    @Test(arguments: [true, false]) func pushesArriveEncryptedAndSigned(isLarge: Bool) async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority)
        let fixture = try WebPushFixture(authority, services: isLarge ? service.host : "")
        let expiration = UInt32(SystemTimeSource().now.milliseconds / 1_000 + 3_600)
        let pushes = browser.pushes(
            service.addresses(20), body: "Ding", collapseID: "news/of the day/é", expiration: expiration)
        let outcomes = await fixture.deliver(pushes)
        #expect(outcomes.allSatisfy { $0.verdict == .delivered }, "\(outcomes)")
        let requests = service.requests
        #expect(Set(requests.map(\.path)) == Set((0..<20).map { "/push/\($0)" }) && requests.count == 20)
        for request in requests {
            #expect(request.method == "POST" && browser.read(request.body) == "Ding")
            #expect(request.headers["content-length"] == "\(request.body.count)")
            #expect(request.headers["content-encoding"] == "aes128gcm")
            #expect(request.headers["content-type"] == "application/octet-stream")
            #expect(request.headers["urgency"] == "high")
            let topic = Base64URL.encode(Array(SHA256.digest(of: Array("news/of the day/é".utf8)).prefix(24)))
            #expect(request.headers["topic"] == topic && topic.utf8.count == 32)
            let life = try #require(request.headers["ttl"].flatMap(Int.init))
            #expect((3_500...3_600).contains(life))
            let header = try #require(VAPIDHeader(request.headers["authorization"]))
            #expect(header.key == fixture.key.publicText && header.claims["aud"] == .string(service.origin))
        }
        // Each push has a key of its own, and all of them the same token.
        #expect(Set(requests.compactMap { EncryptedContentHeader($0.body)?.keyID }).count == 20)
        #expect(Set(requests.compactMap { $0.headers["authorization"] }).count == 1)
        await fixture.end()
        await service.server.close()
    }

    @Test func urgencyLifeAndTopicFollowTheVariant() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority)
        let fixture = try WebPushFixture(authority, services: service.host)
        let address = service.addresses(1)
        _ = await fixture.deliver(browser.pushes(address, priority: .normal, expiration: 0))
        _ = await fixture.deliver(browser.pushes(address, expiration: .max))
        _ = await fixture.deliver(browser.pushes(address, expiration: 1))
        let headers = service.requests.map(\.headers)
        #expect(headers.map { $0["urgency"] } == ["normal", "high", "high"])
        #expect(headers.map { $0["ttl"] } == ["0", "2419200", "0"])
        #expect(headers.allSatisfy { $0["topic"] == nil })
        await fixture.end()
        await service.server.close()
    }

    @Test func appleGetsNoTimeOfZero() throws {
        let variant = browser.pushes([""], expiration: 0)[0].content.variant
        let apple = PushOrigin(scheme: .https, host: "web.push.apple.com", port: 443)
        let tokens = VAPIDTokens(try VAPIDKey.generated(), contact: "mailto:a@b.example", time: ManualTimeSource())
        let token = try tokens.token(for: apple)
        let headers = WebPushHeaders(variant, token: token, origin: apple, now: Timestamp(milliseconds: 0))
        #expect(headers.shared["ttl"] == "1")
    }

    @Test func pushesThatCannotBeEncryptedAreNotSent() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority)
        let fixture = try WebPushFixture(authority, services: service.host)
        let address = service.addresses(1)
        var point = browser.key.publicPoint
        point[64] ^= 1
        let content = browser.pushes(address)[0].content
        func push(_ address: String, keys: WebPushKeys?) -> Push {
            Push(
                id: TaskID(high: 3, low: 1), token: address, isSandbox: false, content: content, badge: 0,
                webPushKeys: keys)
        }
        let pushes =
            [
                push(address[0], keys: nil),
                push(address[0], keys: WebPushKeys(publicKey: point, secret: browser.secret)),
                push("\(service.origin)/\u{E9}", keys: browser.keys),
                push("http://localhost:\(service.server.port)/", keys: browser.keys),
                push("no address", keys: browser.keys),
            ] + browser.pushes(address, body: String(repeating: "x", count: 3_994))
        let outcomes = await fixture.deliver(pushes)
        #expect(
            outcomes.map { $0.answer?.reason } == [
                "MissingKeys", "InvalidKeys", "BadAddress", "InsecureAddress", "BadAddress", "PayloadTooLarge",
            ])
        let invalid = ProviderAnswer.Verdict.invalidDevice(since: nil)
        #expect(outcomes.prefix(2).allSatisfy { $0.verdict == invalid && $0.answer?.status == 0 })
        #expect(outcomes.dropFirst(2).allSatisfy { $0.verdict == .payloadRejected && $0.answer?.status == 0 })
        #expect(service.requests.isEmpty)
        // The largest one is sent, and nothing of the app's room was lost.
        let largest = browser.pushes(address, body: String(repeating: "x", count: 3_993))
        #expect(await fixture.deliver(largest).map(\.verdict) == [.delivered])
        #expect(service.requests.map(\.body.count) == [4_096])
        await fixture.end()
        await service.server.close()
    }

    @Test func aRefusedTokenIsReplacedOnce() async throws {
        let authority = try await TestAuthority()
        let first = Monitor<String?>(nil)
        let service = try TestPushService(authority) { request, _ in
            let authorization = request.headers["authorization"]
            let known = first.change { known in
                known = known ?? authorization
                return known
            }
            return known == authorization ? .status(401) : .status(201)
        }
        let fixture = try WebPushFixture(authority, services: service.host)
        let outcomes = await fixture.deliver(browser.pushes(service.addresses(5)))
        #expect(outcomes.allSatisfy { $0.verdict == .delivered })
        #expect(Set(service.requests.compactMap { $0.headers["authorization"] }).count == 2)
        await fixture.end()
        await service.server.close()
    }

    @Test func aKeyThatALargeServiceRefusesConcernsTheApp() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority) { _, _ in .status(403, body: #"{"reason":"BadJwtToken"}"#) }
        let fixture = try WebPushFixture(authority, services: service.host)
        let outcomes = await fixture.deliver(browser.pushes(service.addresses(1)))
        #expect(outcomes.map(\.verdict) == [.refreshAuthorization])
        #expect(outcomes[0].answer?.reason == "BadJwtToken" && outcomes[0].answer?.status == 403)
        // Once more with the next token, and then no more for an hour.
        #expect(service.requests.count == 2)
        #expect(await fixture.deliver(browser.pushes(service.addresses(1))).map(\.verdict) == [.refreshAuthorization])
        #expect(service.requests.count == 3)
        await fixture.end()
        await service.server.close()
    }

    /// Anybody can register a device at a server of their own: its answers halt no app.
    @Test func aKeyThatAnyServerRefusesConcernsItsDevice() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority) { _, _ in .status(403) }
        let fixture = try WebPushFixture(authority)
        let outcomes = await fixture.deliver(browser.pushes(service.addresses(2)))
        #expect(outcomes.allSatisfy { $0.verdict == .suspectDevice && $0.answer?.status == 403 })
        await fixture.end()
        await service.server.close()
    }

    /// A large service that takes other pushes with the same token refuses this one for its device.
    @Test func aRefusalAmongDeliveriesConcernsItsDevice() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority) { request, _ in
            request.path == "/push/3" ? .status(401) : .status(201)
        }
        let fixture = try WebPushFixture(authority, services: service.host)
        let outcomes = await fixture.deliver(browser.pushes(service.addresses(6)))
        for (number, outcome) in outcomes.enumerated() where number != 3 { #expect(outcome.verdict == .delivered) }
        // Its second attempt was alone with the new token, and a later one is among deliveries.
        let later = await fixture.deliver(browser.pushes(service.addresses(6)))
        #expect(later[3].verdict == .suspectDevice)
        await fixture.end()
        await service.server.close()
    }

    @Test func anAddressThatIsNotPermittedIsNotConnected() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority)
        for services in ["", service.host] {
            let fixture = try WebPushFixture(authority, services: services) { $0.traffic.addresses = AddressPolicy() }
            let outcomes = await fixture.deliver(browser.pushes(service.addresses(1)))
            #expect(outcomes.map { $0.answer?.reason } == ["address_refused"])
            #expect(outcomes.map(\.verdict) == [.payloadRejected])
            await fixture.end()
        }
        #expect(service.requests.isEmpty)
        await service.server.close()
    }

    @Test(arguments: [
        "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]", "169.254.169.254", "10.0.0.1",
        "192.168.0.1", "100.64.0.1", "[fd00::1]", "[64:ff9b::7f00:1]", "0.0.0.0",
    ])
    func innerAddressesAreRefused(host: String) async throws {
        let authority = try await TestAuthority()
        let fixture = try WebPushFixture(authority) { $0.traffic.addresses = AddressPolicy() }
        let outcomes = await fixture.deliver(browser.pushes(["https://\(host):9/x"]))
        #expect(outcomes.map { $0.answer?.reason } == ["address_refused"], "\(outcomes)")
        await fixture.end()
    }

    /// The service takes the push over HTTP/1.1, although it is one of those that are expected to have HTTP/2.
    @Test func aLargeServiceWithoutHTTP2IsReachedToo() async throws {
        let authority = try await TestAuthority()
        let server = try SecureServer(
            authority, answer: .text("HTTP/1.1 201 Created\r\nContent-Length: 0\r\nLocation: /m/1\r\n\r\n"))
        let fixture = try WebPushFixture(authority, services: "localhost:\(server.port)")
        let addresses = (0..<3).map { "\(server.origin)/push/\($0)" }
        for _ in 0..<2 {
            let outcomes = await fixture.deliver(browser.pushes(addresses))
            #expect(outcomes.allSatisfy { $0.verdict == .delivered }, "\(outcomes)")
        }
        #expect(server.requests.count == 6)
        #expect(server.requests.allSatisfy { $0.contains("authorization: vapid t=") })
        await fixture.end()
    }

    @Test func anEndlessAnswerIsCut() async throws {
        let authority = try await TestAuthority()
        let server = try SecureServer(
            authority, answer: .endless("HTTP/1.1 410 Gone\r\n\r\n", part: String(repeating: "x", count: 4_096)))
        let fixture = try WebPushFixture(authority)
        let outcomes = await fixture.deliver(browser.pushes(["\(server.origin)/push"]))
        #expect(outcomes.map(\.verdict) == [.invalidDevice(since: nil)], "\(outcomes)")
        await fixture.end()
    }

    @Test func anEndlessHeaderIsCut() async throws {
        let authority = try await TestAuthority()
        let server = try SecureServer(
            authority,
            answer: .endless("HTTP/1.1 201 Created\r\n", part: "a: \(String(repeating: "x", count: 1_000))\r\n"))
        let fixture = try WebPushFixture(authority)
        let outcomes = await fixture.deliver(browser.pushes(["\(server.origin)/push"]))
        #expect(outcomes.allSatisfy { $0.isUnknown }, "\(outcomes)")
        await fixture.end()
    }

    @Test func aSlowAnswerEndsAtTheLimit() async throws {
        let authority = try await TestAuthority()
        let server = try SecureServer(
            authority,
            answer: .slow("HTTP/1.1 201 Created\r\nX-Filler: \(String(repeating: "x", count: 5_000))\r\n\r\n"))
        let fixture = try WebPushFixture(authority) { $0.traffic.deadline = .seconds(4) }
        let outcomes = await fixture.deliver(browser.pushes(["\(server.origin)/push"]))
        #expect(outcomes.allSatisfy { $0.isUnknown }, "\(outcomes)")
        await fixture.end()
    }

    @Test func aServiceThatNeverAnswersEndsAtTheLimit() async throws {
        let authority = try await TestAuthority()
        let service = try TestPushService(authority) { _, _ in .stall }
        let fixture = try WebPushFixture(authority, services: service.host) {
            $0.traffic.deadline = .seconds(4)
        }
        let outcomes = await fixture.send(browser.pushes(service.addresses(1)))
        #expect(outcomes.allSatisfy { $0.isUnknown }, "\(outcomes)")
        await fixture.end()
        await service.server.close()
    }

    @Test func aKeyThatCannotBeReadHaltsTheApp() async throws {
        let fixture = try WebPushFixture(try await TestAuthority())
        for content in [nil, [], Array("no key".utf8), [0xFF]] as [[UInt8]?] {
            let gateway = try fixture.gateway(content: content)
            guard case .halted(let reason) = await gateway.admit(1, lane: .fast) else {
                Issue.record("the gateway admits pushes without a key")
                continue
            }
            #expect(reason.contains("providers.webpush.key_file") && reason.contains("keys/webpush.pem"))
        }
        await fixture.end()
    }
}

extension PushOutcome {
    fileprivate var isUnknown: Bool {
        guard case .unknown = self else { return false }
        return true
    }
}
