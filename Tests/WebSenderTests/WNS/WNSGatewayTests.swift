import Bus
import HTTP2
import HTTPClient
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import WebSender

@Suite(.timeLimit(.minutes(3))) struct WNSGatewayTests {
    /// Microsoft on loopback: access tokens at `/token` and below `/contoso`, channels everywhere else.
    private struct Microsoft {
        let server: PushServer
        let provider: WNSProvider
        let time: ManualTimeSource

        init(
            domains: [String] = ["localhost"], onToken: @escaping @Sendable (Int) -> HTTP2Reaction = Microsoft.token,
            onPush: @escaping PushServer.Handler = { _ in .status(200, headers: ["x-wns-status": "received"]) }
        ) async throws {
            let tokens = Monitor(0)
            server = try await PushServer(handler: { request in
                guard request.path == "/token" || request.path.hasPrefix("/contoso") else { return onPush(request) }
                return onToken(
                    tokens.change { tokens in
                        tokens += 1
                        return tokens
                    })
            })
            var configuration = WNSConfiguration()
            configuration.traffic = try server.traffic()
            configuration.domains = domains
            configuration.tokenURL = "\(server.url)/token"
            configuration.tenantURL = server.url
            time = ManualTimeSource()
            provider = WNSProvider(
                configuration, tokenLimit: .seconds(30), failingServers: MemoryFailingServers(time: time),
                environment: WorkerEnvironment(
                    time: time, random: SystemRandomSource(), log: quietLog, metrics: Metrics(),
                    health: Health(time: time)))
        }

        static func token(_ number: Int) -> HTTP2Reaction {
            let body = #"{"access_token":"token-\#(number)","token_type":"bearer","expires_in":86400}"#
            return .answer(HTTP2Answer(200, body: Array(body.utf8)))
        }

        var pushes: [HTTP2ServerRequest] { server.requests.filter { $0.path.hasPrefix("/channel") } }
        var tokenRequests: [HTTP2ServerRequest] { server.requests.filter { !$0.path.hasPrefix("/channel") } }

        func gateway(tenant: String? = nil, secret: [UInt8]? = Array("s&cret\n".utf8)) throws -> any PushGateway {
            let file = KeyFile(field: "providers.wns.client_secret_file", path: "keys/wns")
            let credentials = WNSCredentials(
                clientID: "ms-app://s-1-15-2", clientSecretFile: file, tenant: tenant)
            return provider.gateway(credentials, content: secret, of: try AppID("bells"))
        }

        func channel(_ number: Int = 0) -> String { "\(server.url)/channel\(number)" }

        /// Runs the body, and stops everything afterwards.
        func run(_ body: (Microsoft) async throws -> Void) async throws {
            try await withCleanup({
                await provider.close()
                await server.close()
            }) { try await body(self) }
        }
    }

    private func toasts(_ addresses: [String], collapseID: String = "", expiration: UInt32 = 0, first: Int = 0)
        -> [Push]
    {
        pushes(
            addresses, kind: .wns, type: "wns/toast", body: "<toast/>", collapseID: collapseID,
            expiration: expiration, first: first)
    }

    @Test func aToastHasItsHeaders() async throws {
        try await Microsoft().run { microsoft in
            let expiration = UInt32(microsoft.time.now.milliseconds / 1_000) + 600
            let outcomes = try await microsoft.gateway().deliver(
                toasts([microsoft.channel()], collapseID: "order4711", expiration: expiration))
            #expect(outcomes == [.answered(ProviderAnswer(.delivered, reason: "", status: 200))])
            let request = try #require(microsoft.pushes.first)
            #expect(request.method == "POST" && request.text == "<toast/>")
            #expect(request.headers["authorization"] == "Bearer token-1")
            #expect(request.headers["content-type"] == "text/xml")
            #expect(request.headers["content-length"] == "8")
            #expect(request.headers["x-wns-type"] == "wns/toast")
            #expect(request.headers["x-wns-cache-policy"] == "cache")
            #expect(request.headers["x-wns-ttl"] == "600")
            #expect(request.headers["x-wns-tag"] == "order4711")
        }
    }

    @Test func aRawPushThatIsNotStored() async throws {
        try await Microsoft().run { microsoft in
            let raw = pushes(
                [microsoft.channel()], kind: .wns, type: "wns/raw", body: "{}", collapseID: "order", expiration: 0)
            #expect(try await microsoft.gateway().deliver(raw).map(\.verdict) == [.delivered])
            let headers = try #require(microsoft.pushes.first?.headers)
            #expect(headers["content-type"] == "application/octet-stream")
            #expect(headers["x-wns-type"] == "wns/raw" && headers["x-wns-cache-policy"] == "no-cache")
            #expect(headers["x-wns-ttl"] == nil && headers["x-wns-tag"] == nil)
        }
    }

    /// WNS takes 16 letters and digits; any other id becomes its hash.
    @Test func aTagIsShort() {
        #expect(WNSRequest.tag("order4711") == "order4711")
        #expect(WNSRequest.tag("0123456789abcdef") == "0123456789abcdef")
        let tags = ["0123456789abcdefg", "order-4711", "order 4711", "\r\nX-Evil: 1"].map(WNSRequest.tag)
        #expect(Set(tags).count == 4)
        for tag in tags { #expect(tag.utf8.count == 16 && tag.utf8.allSatisfy(\.isASCIILetterOrDigit)) }
    }

    @Test(arguments: ["", "alert", "wns/toast\r\nX-Evil: 1"]) func anUnknownTypeIsNotSent(_ type: String) async throws {
        try await Microsoft().run { microsoft in
            let outcomes = try await microsoft.gateway().deliver(
                pushes([microsoft.channel()], kind: .wns, type: type))
            #expect(outcomes == [.unsendable("InvalidPushType")])
            #expect(microsoft.pushes.isEmpty)
        }
    }

    @Test func anAppOfTheStoreAsksItsOwnServerForTokens() async throws {
        try await Microsoft().run { microsoft in
            #expect(try await microsoft.gateway().admit(1, lane: .bulk) == .admitted(1))
            let request = try #require(microsoft.tokenRequests.first)
            #expect(request.path == "/token")
            #expect(
                request.text == "grant_type=client_credentials&client_id=ms-app%3A%2F%2Fs-1-15-2"
                    + "&client_secret=s%26cret&scope=notify.windows.com")
        }
    }

    @Test func anAppWithATenantAsksEntra() async throws {
        try await Microsoft().run { microsoft in
            #expect(try await microsoft.gateway(tenant: "contoso.example").admit(1, lane: .bulk) == .admitted(1))
            let request = try #require(microsoft.tokenRequests.first)
            #expect(request.path == "/contoso.example/oauth2/v2.0/token")
            #expect(request.text.hasSuffix("&scope=https%3A%2F%2Fwns.windows.com%2F.default"))
        }
    }

    @Test(arguments: ["", "a/b", "..", "a?b", "a b"]) func aTenantThatIsNoNameHalts(_ tenant: String) async throws {
        try await Microsoft().run { microsoft in
            let admission = try await microsoft.gateway(tenant: tenant).admit(1, lane: .bulk)
            #expect(admission == .halted(reason: "providers.wns.tenant: expected letters, digits, - and ."))
            #expect(microsoft.server.requests.isEmpty)
        }
    }

    @Test func anEmptySecretHalts() async throws {
        try await Microsoft().run { microsoft in
            guard case .halted(let reason) = try await microsoft.gateway(secret: []).admit(1, lane: .bulk) else {
                Issue.record("no push can be sent without a secret")
                return
            }
            #expect(reason.contains("providers.wns.client_secret_file") && reason.contains("keys/wns"))
        }
    }

    /// Goal: an access token is sent to Microsoft alone. Method: addresses that a stranger may register, of a server
    /// that would answer.
    @Test(arguments: ["https://localhost:%/channel", "https://127.0.0.1:%/channel", "http://a.notify.windows.com:%/"])
    func aForeignHostGetsNoToken(address: String) async throws {
        try await Microsoft(domains: ["notify.windows.com"]).run { microsoft in
            let address = address.replacing("%", with: "\(microsoft.server.server.port)")
            let outcomes = try await microsoft.gateway().deliver(toasts([address]))
            #expect(outcomes == [.unsendable("ForeignHost")])
            #expect(microsoft.pushes.isEmpty)
        }
    }

    /// An expired token is renewed once for all, and no device is lost.
    @Test func anExpiredTokenIsRenewedOnceForAll() async throws {
        let hasEnded = Monitor(false)
        let microsoft = try await Microsoft(onPush: { request in
            let isOld = hasEnded.withLock { $0 } && request.headers["authorization"] == "Bearer token-1"
            return .status(isOld ? 401 : 200, headers: isOld ? [:] : ["x-wns-status": "received"])
        })
        try await microsoft.run { microsoft in
            let gateway = try microsoft.gateway()
            #expect(await gateway.deliver(toasts([microsoft.channel()])).map(\.verdict) == [.delivered])
            microsoft.time.advance(by: .seconds(120))
            hasEnded.change { $0 = true }
            let addresses = (0..<40).map { microsoft.channel($0) }
            let outcomes = await gateway.deliver(toasts(addresses, first: 1))
            #expect(outcomes.map(\.verdict) == Array(repeating: .delivered, count: 40))
            #expect(microsoft.tokenRequests.count == 2)
        }
    }

    @Test func aRefusedSecretHalts() async throws {
        let microsoft = try await Microsoft(onToken: { _ in
            .answer(HTTP2Answer(400, body: Array(#"{"error":"invalid_client"}"#.utf8)))
        })
        try await microsoft.run { microsoft in
            let admission = try await microsoft.gateway().admit(1, lane: .bulk)
            #expect(admission == .halted(reason: "no access token: status 400, invalid_client"))
        }
    }

    @Test func anIssuerWithoutAnAnswerIsAnOutage() async throws {
        try await Microsoft(onToken: { _ in .status(500) }).run { microsoft in
            let admission = try await microsoft.gateway().admit(1, lane: .bulk)
            #expect(admission == .unavailable(reason: "no access token: status 500, no reason"))
        }
    }

    /// The header of a throttled channel says how long it waits.
    @Test func aThrottledChannelWaits() async throws {
        let microsoft = try await Microsoft(onPush: { _ in
            .status(200, headers: ["x-wns-status": "channelthrottled", "x-wns-continue-after": "30"])
        })
        try await microsoft.run { microsoft in
            let outcomes = try await microsoft.gateway().deliver(toasts([microsoft.channel()]))
            let advice = RetryAdvice(floor: .seconds(30), isAsked: true)
            #expect(
                outcomes == [
                    .answered(ProviderAnswer(.throttled(.device, advice), reason: "channelthrottled", status: 200))
                ])
        }
    }

    @Test(arguments: ["x-wns-status", "x-wns-notificationstatus"]) func aDroppedPushHasFailed(
        _ header: String
    ) async throws {
        let microsoft = try await Microsoft(onPush: { _ in
            var headers = HTTP2Headers()
            headers.append(header, "dropped")
            headers.append("x-wns-error-description", "the user has turned toasts off")
            return .status(200, headers: headers)
        })
        try await microsoft.run { microsoft in
            let outcome = try #require(try await microsoft.gateway().deliver(toasts([microsoft.channel()])).first)
            #expect(outcome.verdict == .payloadRejected)
            #expect(outcome.answer?.reason == "the user has turned toasts off")
        }
    }
}
