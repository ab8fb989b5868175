import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Apps
@testable import android_sender

@Suite struct AndroidGatewaysTests {
    private let time = ManualTimeSource()
    private let folder = TemporaryDirectory("credentials")
    private let made = Monitor<[[UInt8]?]>([])
    private let app: Monitor<PushApp?>

    init() throws {
        app = Monitor(nil)
        app.change { [id = try AppID("news"), path = folder.file("secret")] in
            $0 = AndroidGatewaysTests.app(id, path: path, clientID: "1")
        }
    }

    @Test func oneGatewayServesAllWhoAsk() async throws {
        folder.write("secret", content: "one")
        let gateways = gateways()
        let id = try AppID("news")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = await gateways.gateway(for: id, .huawei) } }
        }
        #expect(made.withLock { $0.count } == 1)
    }

    @Test func aFileThatWasReplacedIsNoticed() async throws {
        folder.write("secret", content: "one")
        let gateways = gateways()
        let id = try AppID("news")
        _ = await gateways.gateway(for: id, .huawei)
        folder.write("secret", content: "two")
        _ = await gateways.gateway(for: id, .huawei)
        #expect(made.withLock { $0 } == [Array("one".utf8)])
        time.advance(by: .seconds(30))
        _ = await gateways.gateway(for: id, .huawei)
        #expect(made.withLock { $0 } == [Array("one".utf8), Array("two".utf8)])
        time.advance(by: .seconds(30))
        _ = await gateways.gateway(for: id, .huawei)
        #expect(made.withLock { $0.count } == 2)
    }

    @Test func changedCredentialsCountAtOnce() async throws {
        folder.write("secret", content: "one")
        let gateways = gateways()
        let id = try AppID("news")
        _ = await gateways.gateway(for: id, .huawei)
        app.change { [path = folder.file("secret")] in $0 = AndroidGatewaysTests.app(id, path: path, clientID: "2") }
        _ = await gateways.gateway(for: id, .huawei)
        #expect(made.withLock { $0.count } == 2)
    }

    @Test func withoutCredentialsThereIsNone() async throws {
        let gateways = gateways()
        let id = try AppID("news")
        #expect(await !has(gateways, id: id, kind: .fcm))
        #expect(await !has(gateways, id: id, kind: .apns))
        guard case .noProvider = await gateways.gateway(for: id, .fcm) else {
            Issue.record("a known app without a provider must not count as unknown")
            return
        }
        app.change { $0 = nil }
        guard case .unknownApp = await gateways.gateway(for: id, .huawei) else {
            Issue.record("an unknown app must not count as one without a provider")
            return
        }
    }

    private func has(_ gateways: AndroidGateways, id: AppID, kind: PushProtocol) async -> Bool {
        guard case .found = await gateways.gateway(for: id, kind) else { return false }
        return true
    }

    private func gateways() -> AndroidGateways {
        AndroidGateways(time: time, app: { [app] _ in app.withLock { $0 } }) { [made] _, _, content in
            made.change { $0.append(content) }
            return BrokenGateway(reason: "test")
        }
    }

    private static func app(_ id: AppID, path: String, clientID: String) -> PushApp {
        var app = PushApp(id: id)
        app.providers.huawei = HuaweiCredentials(
            clientID: clientID, clientSecretFile: KeyFile(field: "client_secret_file", path: path), project: nil)
        return app
    }
}
