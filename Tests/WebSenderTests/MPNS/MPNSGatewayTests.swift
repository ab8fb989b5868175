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

@Suite(.timeLimit(.minutes(3))) struct MPNSGatewayTests {
    /// Runs the body with a gateway to the server.
    private func withGateway(
        to server: PushServer, credentials: MPNSCredentials = MPNSCredentials(), domains: [String] = ["localhost"],
        body: (any PushGateway, MPNSProvider) async throws -> Void
    ) async throws {
        var configuration = MPNSConfiguration()
        configuration.traffic = try server.traffic()
        configuration.domains = domains
        let time = SystemTimeSource()
        let provider = MPNSProvider(
            configuration, failingServers: MemoryFailingServers(time: time),
            environment: WorkerEnvironment(
                time: time, random: SystemRandomSource(), log: quietLog, metrics: Metrics(), health: Health(time: time))
        )
        let gateway = provider.gateway(credentials, content: nil, of: try AppID("bells"))
        try await withCleanup({
            await provider.close()
            await server.close()
        }) { try await body(gateway, provider) }
    }

    private static func received(_: HTTP2ServerRequest) -> HTTP2Reaction {
        .status(200, headers: ["x-notificationstatus": "Received"])
    }

    @Test(arguments: [
        ("toast", RenderedVariant.Priority.high, "toast" as String?, "2"), ("toast", .normal, "toast", "12"),
        ("token", .high, "token", "1"), ("token", .normal, "token", "11"), ("", .high, nil, "3"),
        ("", .normal, nil, "13"),
    ])
    func eachTypeHasItsHeaders(
        type: String, priority: RenderedVariant.Priority, target: String?, class: String
    ) async throws {
        let server = try await PushServer(handler: MPNSGatewayTests.received)
        try await withGateway(to: server) { gateway, _ in
            let outcomes = await gateway.deliver(
                pushes(["\(server.url)/x"], kind: .mpns, type: type, body: "<x/>", priority: priority))
            #expect(outcomes == [.answered(ProviderAnswer(.delivered, reason: "", status: 200))])
            let request = try #require(server.requests.first)
            #expect(request.text == "<x/>" && request.headers["content-type"] == "text/xml; charset=utf-8")
            #expect(request.headers["x-windowsphone-target"] == target)
            #expect(request.headers["x-notificationclass"] == `class`)
            #expect(request.headers["x-messageid"] == TaskID(high: 1, low: 0).description)
        }
    }

    @Test func anUnknownTypeIsNotSent() async throws {
        let server = try await PushServer(handler: MPNSGatewayTests.received)
        try await withGateway(to: server) { gateway, _ in
            let outcomes = await gateway.deliver(pushes(["\(server.url)/x"], kind: .mpns, type: "alert"))
            #expect(outcomes == [.unsendable("InvalidPushType")])
        }
    }

    @Test func aForeignHostGetsNothing() async throws {
        let server = try await PushServer(handler: MPNSGatewayTests.received)
        try await withGateway(to: server, domains: ["notify.live.net"]) { gateway, _ in
            let outcomes = await gateway.deliver(pushes(["\(server.url)/x"], kind: .mpns, type: "toast"))
            #expect(outcomes == [.unsendable("ForeignHost")])
        }
        #expect(server.requests.isEmpty)
    }

    /// Goal: an app with a certificate presents it. Method: the server asks for one, and names whose it got.
    @Test func aCertificateIsPresented() async throws {
        let authority = try await TestAuthority()
        let server = try await PushServer(
            authority, clientAuthorityFile: authority.authorityFile, handler: MPNSGatewayTests.received)
        let credentials = MPNSCredentials(
            certificateFile: KeyFile(field: "providers.mpns.certificate_file", path: authority.certificateFile),
            certificateKeyFile: KeyFile(field: "providers.mpns.certificate_key_file", path: authority.keyFile))
        try await withGateway(to: server, credentials: credentials) { gateway, _ in
            let outcomes = await gateway.deliver(pushes(["\(server.url)/x"], kind: .mpns, type: "toast"))
            #expect(outcomes.map(\.verdict) == [.delivered])
            #expect(server.requests.first?.clientName == "localhost")
        }
    }

    @Test func aCertificateThatCannotBeReadHaltsTheApp() async throws {
        let server = try await PushServer(handler: MPNSGatewayTests.received)
        let file = KeyFile(field: "providers.mpns.certificate_file", path: "/nonexistent/mpns.pem")
        try await withGateway(to: server, credentials: MPNSCredentials(certificateFile: file)) { gateway, _ in
            let outcomes = await gateway.deliver(pushes(["\(server.url)/x"], kind: .mpns, type: "toast"))
            #expect(outcomes.map(\.verdict) == [.misconfigured])
        }
        #expect(server.requests.isEmpty)
    }

    /// A client that no app needs any more is closed, and the next gateway gets a new one.
    @Test func unusedClientsAreClosed() async throws {
        let server = try await PushServer(handler: MPNSGatewayTests.received)
        try await withGateway(to: server) { gateway, provider in
            provider.closeUnused(keeping: [MPNSCredentials()])
            #expect(
                await gateway.deliver(pushes(["\(server.url)/x"], kind: .mpns, type: "toast")).map(\.verdict)
                    == [.delivered])
            provider.closeUnused(keeping: [])
            let next = provider.gateway(MPNSCredentials(), content: nil, of: try AppID("bells"))
            #expect(
                await next.deliver(pushes(["\(server.url)/x"], kind: .mpns, type: "toast", first: 1)).map(\.verdict)
                    == [.delivered])
        }
    }
}
