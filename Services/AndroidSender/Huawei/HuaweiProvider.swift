import Apps
import Bus
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit

/// Resources for Huawei that all apps share; makes each app's gateway.
struct HuaweiProvider: PushProvider {
    let kind = PushProtocol.huawei
    let configuration: HuaweiConfiguration
    let client: HTTPClient
    let tokenLimit: Duration
    let time: any TimeSource
    let random: any RandomSource
    let log: Log

    func credentials(in providers: ProviderCredentials) -> HuaweiCredentials? { providers.huawei }

    func file(of credentials: HuaweiCredentials) -> KeyFile? { credentials.clientSecretFile }

    func gateway(_ credentials: HuaweiCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        let file = credentials.clientSecretFile
        guard let content, let secret = Secret(line: content) else {
            return BrokenGateway(reason: "\(file.field): \(file.path) contains no readable client secret")
        }
        guard RequestText.isPathPart(credentials.clientID), RequestText.isPathPart(credentials.project ?? "1")
        else { return BrokenGateway(reason: "providers.huawei: client_id and project take letters, digits, - and _") }
        let path = credentials.project.map { "/v2/\($0)" } ?? "/v1/\(credentials.clientID)"
        let tokens = AccessTokens(client: client).cache(
            of: credentials.clientID, secret: secret, from: configuration.tokenURL, limit: tokenLimit, time: time,
            random: random)
        return HuaweiGateway(
            url: "\(configuration.url)\(path)/messages:send", client: client, tokens: tokens,
            gate: SendGate(configuration.window, of: app, kind: kind, time: time, log: log), time: time)
    }

    func close() async {
        await client.close(within: .seconds(1))
    }
}

extension HuaweiProvider {
    init(_ configuration: HuaweiConfiguration, tokenLimit: Duration, environment: WorkerEnvironment) {
        let client = HTTPClient(
            configuration: configuration.client, log: environment.log, metrics: environment.metrics,
            time: environment.time)
        self.init(
            configuration: configuration, client: client, tokenLimit: tokenLimit, time: environment.time,
            random: environment.random, log: environment.log)
    }
}
