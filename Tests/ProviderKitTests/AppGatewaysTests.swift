import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Apps

@Suite struct AppGatewaysTests {
    private let time = ManualTimeSource()
    private let folder = TemporaryDirectory("credentials")
    private let provider = RecordingProvider()
    private let app: Monitor<PushApp?>

    init() throws {
        app = Monitor(nil)
        app.change { [id = try AppID("news"), path = folder.file("secret")] in
            $0 = AppGatewaysTests.app(id, path: path, clientID: "1")
        }
    }

    @Test func oneGatewayServesAllWhoAsk() async throws {
        folder.write("secret", content: "one")
        let gateways = gateways()
        let id = try AppID("news")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = await gateways.gateway(for: id, .huawei) } }
        }
        #expect(provider.seen.made.count == 1)
    }

    @Test func aFileThatWasReplacedIsNoticed() async throws {
        folder.write("secret", content: "one")
        let gateways = gateways()
        let id = try AppID("news")
        _ = await gateways.gateway(for: id, .huawei)
        folder.write("secret", content: "two")
        _ = await gateways.gateway(for: id, .huawei)
        #expect(provider.seen.made == [Array("one".utf8)])
        time.advance(by: .seconds(30))
        _ = await gateways.gateway(for: id, .huawei)
        #expect(provider.seen.made == [Array("one".utf8), Array("two".utf8)])
        time.advance(by: .seconds(30))
        _ = await gateways.gateway(for: id, .huawei)
        #expect(provider.seen.made.count == 2)
        #expect(provider.seen.kept == [], "the credentials in the app file are the same")
    }

    @Test func changedCredentialsCountAtOnce() async throws {
        folder.write("secret", content: "one")
        let gateways = gateways()
        let id = try AppID("news")
        _ = await gateways.gateway(for: id, .huawei)
        app.change { [path = folder.file("secret")] in $0 = AppGatewaysTests.app(id, path: path, clientID: "2") }
        _ = await gateways.gateway(for: id, .huawei)
        #expect(provider.seen.made.count == 2)
        #expect(provider.seen.kept == [["2"]])
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

    /// A removed app gets no more chunks, so no lookup would drop its gateway.
    @Test func theGatewayOfARemovedAppIsDropped() async throws {
        folder.write("secret", content: "one")
        let gateways = gateways()
        _ = await gateways.gateway(for: try AppID("news"), .huawei)
        let running = Task { await gateways.run() }
        app.change { $0 = nil }
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(60))
        #expect(await provider.sees { $0.kept == [[]] })
        #expect(!provider.seen.isClosed)
        gateways.stop()
        await running.value
        #expect(provider.seen.isClosed)
    }

    private func has(_ gateways: AppGateways, id: AppID, kind: PushProtocol) async -> Bool {
        guard case .found = await gateways.gateway(for: id, kind) else { return false }
        return true
    }

    private func gateways() -> AppGateways {
        AppGateways([provider], time: time) { [app] _ in app.withLock { $0 } }
    }

    private static func app(_ id: AppID, path: String, clientID: String) -> PushApp {
        var app = PushApp(id: id)
        app.providers.huawei = HuaweiCredentials(
            clientID: clientID, clientSecretFile: KeyFile(field: "client_secret_file", path: path), project: nil)
        return app
    }
}

/// A provider whose gateways cannot send; it records what the directory asks of it.
private final class RecordingProvider: PushProvider {
    struct Seen: Sendable {
        /// The contents of the files with which gateways were made.
        var made: [[UInt8]?] = []
        /// The client ids still in use, at each close of unused resources.
        var kept: [[String]] = []
        var isClosed = false
    }

    let kind = PushProtocol.huawei
    private let state = Monitor(Seen())

    var seen: Seen { state.withLock { $0 } }

    func sees(_ condition: @escaping @Sendable (Seen) -> Bool) async -> Bool {
        await blocking { [state] in state.wait(timeout: .hangLimit) { condition($0) ? true : nil } ?? false }
    }

    func credentials(in providers: ProviderCredentials) -> HuaweiCredentials? { providers.huawei }

    func file(of credentials: HuaweiCredentials) -> KeyFile? { credentials.clientSecretFile }

    func gateway(_ credentials: HuaweiCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        state.change { $0.made.append(content) }
        return BrokenGateway(reason: "test")
    }

    func closeUnused(keeping credentials: [HuaweiCredentials]) {
        state.change { $0.kept.append(credentials.map(\.clientID)) }
    }

    func close() async {
        state.change { $0.isClosed = true }
    }
}
