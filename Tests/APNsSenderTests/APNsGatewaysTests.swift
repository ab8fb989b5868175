import Apps
import Bus
import HTTP2
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import APNsSender

/// Gateways follow changes of the app files.
@Suite(.timeLimit(.minutes(3))) struct APNsGatewaysTests {
    private let apps = Monitor<[AppID: APNsCredentials]>([:])
    private let authority: TestAuthority
    private let apple: ScriptedApple
    private let gateways: AppGateways
    private let news: AppID
    private let shop: AppID
    private let keyFile: String

    init() async throws {
        authority = try await TestAuthority()
        keyFile = try await OpenSSLCommand.makeKey("key.p8", options: OpenSSLCommand.p256, in: authority.directory)
        apple = try ScriptedApple(authority, clientAuthorityFile: authority.authorityFile)
        news = try AppID("news")
        shop = try AppID("shop")
        var configuration = APNsConfiguration()
        configuration.production = apple.endpoint
        configuration.authorityFile = authority.authorityFile
        let time = SystemTimeSource()
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: quietLog, metrics: Metrics(), health: Health(time: time))
        let provider = APNsProvider(
            configuration, channels: MemoryRegistry(time: time, random: SystemRandomSource()),
            environment: environment)
        gateways = AppGateways([provider], time: time) { [apps] id in
            apps.withLock { $0[id] }.map { credentials in
                var app = PushApp(id: id)
                app.providers.apns = credentials
                return app
            }
        }
    }

    @Test func anAppThatStaysKeepsItsGateway() async throws {
        apps.change { $0[news] = token(keyID: "AAAAAAAAAA", topic: "com.example.news") }
        let first = try #require(await gateways.apns(news))
        #expect(await gateways.apns(news) === first)
        #expect(await gateways.apns(shop) == nil)
        guard case .noProvider = await gateways.gateway(for: news, .fcm),
            case .unknownApp = await gateways.gateway(for: shop, .apns)
        else {
            Issue.record("a known app without a provider must not count as unknown")
            return await end()
        }
        apps.change { $0[news] = nil }
        #expect(await gateways.apns(news) == nil)
        await end()
    }

    /// Goal: a changed file applies to the next batch, and its former key is released. Method: topic and key change; a
    /// push through the former gateway is not sent, and so is retried.
    @Test func aChangedFileCounts() async throws {
        apps.change { $0[news] = token(keyID: "AAAAAAAAAA", topic: "com.example.news") }
        let former = try #require(await gateways.apns(news))
        #expect(await send(former) == .answered(.delivered))
        #expect(apple.seen.withLock { $0.last?.headers["apns-topic"] } == "com.example.news")
        apps.change { $0[news] = token(keyID: "BBBBBBBBBB", topic: "com.example.renamed") }
        let next = try #require(await gateways.apns(news))
        #expect(await send(next) == .answered(.delivered))
        #expect(apple.seen.withLock { $0.last?.headers["apns-topic"] } == "com.example.renamed")
        #expect(apple.authorizations.count == 2)
        await end()
        guard case .notSent = await send(former) else {
            Issue.record("the former gateway still sends")
            return
        }
    }

    /// Apple refuses a second token of a key within 20 minutes, so two apps of one team share one.
    @Test func appsOfOneKeyShareItsToken() async throws {
        apps.change {
            $0[news] = token(keyID: "AAAAAAAAAA", topic: "com.example.news")
            $0[shop] = token(keyID: "AAAAAAAAAA", topic: "com.example.shop")
        }
        for app in [news, shop] {
            let gateway = try #require(await gateways.apns(app))
            #expect(await send(gateway) == .answered(.delivered))
        }
        #expect(apple.authorizations.count == 1)
        await end()
    }

    @Test func aCertificateTakesThePlaceOfAToken() async throws {
        let file = KeyFile(field: "certificate_file", path: authority.certificateFile)
        let key = KeyFile(field: "certificate_key_file", path: authority.keyFile)
        apps.change {
            $0[news] = APNsCredentials(proof: .certificate(file: file, keyFile: key), topic: "com.example.news")
        }
        let gateway = try #require(await gateways.apns(news))
        #expect(await send(gateway) == .answered(.delivered))
        let request = try #require(apple.seen.withLock { $0.last })
        #expect(request.clientName == "localhost")
        #expect(request.headers["authorization"] == nil)
        #expect(request.headers["apns-topic"] == "com.example.news")
        await end()
    }

    @Test func aMissingCertificateIsAMistakeOfTheApp() async throws {
        let file = KeyFile(field: "certificate_file", path: authority.directory.file("none.pem"))
        apps.change {
            $0[news] = APNsCredentials(proof: .certificate(file: file, keyFile: nil), topic: "com.example.news")
        }
        let gateway = try #require(await gateways.apns(news))
        guard case .answered(let answer) = await send(gateway) else {
            Issue.record("a missing certificate must not look like an outage")
            return
        }
        #expect(answer.verdict == .misconfigured)
        await end()
    }

    private func token(keyID: String, topic: String) -> APNsCredentials {
        APNsCredentials(
            proof: .token(keyFile: KeyFile(field: "key_file", path: keyFile), keyID: keyID, teamID: "TEAM000000"),
            topic: topic)
    }

    private func send(_ gateway: APNsGateway) async -> PushOutcome? {
        guard case .admitted(1) = await gateway.admit(1, lane: .fast) else { return nil }
        let variant = RenderedVariant(
            kind: .apns, priority: .high, pushType: "alert", collapseID: "", expiration: 0,
            payload: PayloadTemplate(Array("{}".utf8)))
        let push = Push(
            id: TaskID(high: 1, low: 2), token: PushLoad.token(1), isSandbox: false, content: PushContent(variant),
            badge: 0)
        return await gateway.send([push]).first
    }

    private func end() async {
        gateways.stop()
        await gateways.run()
        await apple.server.close()
    }
}
