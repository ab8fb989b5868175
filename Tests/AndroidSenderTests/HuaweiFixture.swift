import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import TestSupport

@testable import AndroidSender
@testable import Apps

/// Huawei on loopback, and gateways made as in the service.
final class HuaweiFixture: Sendable {
    let huawei: FakeProvider
    private let app: AppID
    private let time: any TimeSource
    private let client: HTTPClient
    private let configuration: HuaweiConfiguration

    init(
        time: any TimeSource = SystemTimeSource(), onToken: (@Sendable (Int) -> HTTP2Answer)? = nil,
        onPush: @escaping FakeProvider.Handler = { _ in .json(200, body: #"{"code":"80000000","msg":"Success"}"#) }
    ) async throws {
        huawei = try await FakeProvider(onToken: onToken, onPush: onPush)
        app = try AppID("bells")
        self.time = time
        var configuration = HuaweiConfiguration()
        configuration.url = huawei.url
        configuration.tokenURL = "\(huawei.url)/token"
        configuration.authorityFile = huawei.authority.authorityFile
        self.configuration = configuration
        client = HTTPClient(configuration: configuration.client, log: quietLog, metrics: Metrics())
    }

    func gateway(project: String? = nil, secret: [UInt8]? = Array("s&cret\n".utf8)) -> any PushGateway {
        let provider = HuaweiProvider(
            configuration: configuration, client: client, tokenLimit: .seconds(30), time: time,
            random: SystemRandomSource(), log: quietLog)
        let credentials = HuaweiCredentials(
            clientID: "100123", clientSecretFile: KeyFile(field: "client_secret_file", path: "keys/huawei"),
            project: project)
        return provider.gateway(credentials, content: secret, of: app)
    }

    func end() async {
        await client.close(within: .zero)
        await huawei.server.close()
    }
}

/// Runs the body with Huawei on loopback, and stops everything afterwards.
func withHuawei(_ fixture: HuaweiFixture, body: (HuaweiFixture) async throws -> Void) async throws {
    try await withCleanup({ await fixture.end() }) { try await body(fixture) }
}
