import Bus
import HTTP2
import HTTPClient
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import WebSender

@Suite(.timeLimit(.minutes(3))) struct HTTPPushGatewayTests {
    private let time = ManualTimeSource()

    /// Runs the body with a gateway to the server.
    private func withGateway(
        to server: PushServer, key: [UInt8]? = nil, deadline: Duration = .seconds(20),
        adjust: (inout OriginConfiguration) -> Void = { _ in }, time: any TimeSource = SystemTimeSource(),
        body: (any PushGateway) async throws -> Void
    ) async throws {
        var configuration = HTTPPushConfiguration()
        configuration.traffic = try server.traffic(deadline: deadline)
        adjust(&configuration.traffic)
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: quietLog, metrics: Metrics(), health: Health(time: time))
        let provider = HTTPPushProvider(
            configuration, failingServers: MemoryFailingServers(time: time), environment: environment)
        let file = key.map { _ in KeyFile(field: "providers.http.signing_key_file", path: "keys/http") }
        let gateway = provider.gateway(
            HTTPPushCredentials(signingKeyFile: file), content: key, of: try AppID("bells"))
        try await withCleanup({
            await provider.close()
            await server.close()
        }) { try await body(gateway) }
    }

    @Test func pushesArePostedAsTheyAre() async throws {
        let server = try await PushServer()
        try await withGateway(to: server) { gateway in
            let body = #"{"event":"news","title":{"default":"x"},"message":{},"data":{}}"#
            let outcomes = await gateway.deliver(pushes(["\(server.url)/hook?a=b"], body: body))
            #expect(outcomes.map(\.verdict) == [.delivered])
            let request = try #require(server.requests.first)
            #expect(request.method == "POST" && request.path == "/hook?a=b" && request.text == body)
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["idempotency-key"] == TaskID(high: 1, low: 0).description)
            #expect(request.headers["carillon-signature"] == nil && request.headers["authorization"] == nil)
        }
    }

    /// The same signature as that of reports, which a server checks with the same code.
    @Test func aKeySignsEachRequest() async throws {
        let server = try await PushServer()
        try await withGateway(to: server, key: Array("s3cret\n".utf8), time: time) { gateway in
            #expect(await gateway.deliver(pushes(["\(server.url)/"], body: "{}")).map(\.verdict) == [.delivered])
            let signature = try #require(server.requests.first?.headers["carillon-signature"])
            let seconds = time.now.milliseconds / 1_000
            let code = HMACKey(Array("s3cret".utf8)).code(for: Array("\(seconds).{}".utf8))
            #expect(signature == "t=\(seconds),v1=\(Hexadecimal.encode(code))")
        }
    }

    @Test(arguments: [[], Array("\n".utf8), [0xFF]]) func anUnreadableKeyHaltsTheApp(_ key: [UInt8]) async throws {
        let server = try await PushServer()
        try await withGateway(to: server, key: key) { gateway in
            guard case .halted(let reason) = await gateway.admit(1, lane: .bulk) else {
                Issue.record("unsigned pushes must not be sent")
                return
            }
            #expect(reason.contains("providers.http.signing_key_file") && reason.contains("keys/http"))
        }
    }

    /// Each status from a server of its own, since one that fails or throttles is left alone.
    @Test(arguments: [
        (200, ProviderAnswer.Verdict.delivered), (204, .delivered), (302, .payloadRejected), (400, .payloadRejected),
        (401, .payloadRejected), (404, .suspectDevice), (408, .retryLater(asked)),
        (410, .invalidDevice(since: nil)), (429, .throttled(.device, asked)), (500, .retryLater(asked)),
        (503, .retryLater(asked)),
    ])
    func statusesDecide(status: Int, verdict: ProviderAnswer.Verdict) async throws {
        let server = try await PushServer(handler: { _ in .status(status, headers: ["retry-after": "7"]) })
        try await withGateway(to: server) { gateway in
            let outcomes = await gateway.deliver(pushes(["\(server.url)/"]))
            #expect(outcomes.map(\.verdict) == [verdict])
            #expect(outcomes.first?.answer?.status == UInt16(status))
        }
    }

    private static let asked = RetryAdvice(floor: .seconds(7), isAsked: true)

    /// A redirect may lead anywhere, and to an address that is not registered.
    @Test func redirectsAreNotFollowed() async throws {
        let other = try await PushServer()
        let target = other.url
        let server = try await PushServer(handler: { _ in .status(307, headers: ["location": target]) })
        try await withGateway(to: server) { gateway in
            #expect(await gateway.deliver(pushes(["\(server.url)/"])).map(\.verdict) == [.payloadRejected])
        }
        #expect(other.requests.isEmpty)
        await other.close()
    }

    /// However an address is spelled, the one that would be connected to is judged.
    @Test(arguments: [
        "127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1",
        "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
    ])
    func innerAddressesAreRefused(host: String) async throws {
        let server = try await PushServer()
        try await withGateway(to: server, adjust: { $0.addresses = AddressPolicy() }) { gateway in
            let outcome = try #require(await gateway.deliver(pushes(["http://\(host):\(server.server.port)/"])).first)
            #expect(outcome == .unsendable("address_refused"))
        }
        #expect(server.requests.isEmpty)
    }

    /// Goal: a push without an answer costs the deadline, and leaves the outcome open. Method: one of two pushes that
    /// are sent together is never answered; the others have as much time.
    @Test func aServerWithoutAnAnswerIsNotWaitedForLong() async throws {
        let server = try await PushServer(handler: { $0.path == "/stall" ? .stall : .status(200) })
        try await withGateway(to: server, deadline: .seconds(4)) { gateway in
            #expect(await gateway.deliver(pushes(["\(server.url)/"])).map(\.verdict) == [.delivered])
            let outcomes = await gateway.deliver(pushes(["\(server.url)/stall", "\(server.url)/"], first: 1))
            #expect(outcomes[0] == .unknown("the deadline passed before a response arrived"))
            #expect(outcomes[1].verdict == .delivered)
        }
    }

    /// Endless answers are cut: the status counts.
    @Test func anEndlessAnswerIsCut() async throws {
        let server = try await PushServer(handler: { _ in
            .answer(HTTP2Answer(200, body: [UInt8](repeating: 0x20, count: 1 << 20)))
        })
        try await withGateway(to: server) { gateway in
            #expect(await gateway.deliver(pushes(["\(server.url)/"])).map(\.verdict) == [.delivered])
        }
    }

    /// A server with an untrusted certificate is retried: the publisher can fix it. The app is not halted.
    @Test func anUntrustedServerIsTriedAgain() async throws {
        let stranger = try await TestAuthority()
        let server = try await PushServer()
        try await withGateway(to: server, adjust: { $0.authorityFile = stranger.authorityFile }) { gateway in
            let outcomes = await gateway.deliver(pushes(["\(server.url)/"]))
            #expect(outcomes.first?.isNotSent == true)
            #expect(await gateway.admit(1, lane: .bulk) == .admitted(1))
        }
        withExtendedLifetime(stranger) {}
    }
}
