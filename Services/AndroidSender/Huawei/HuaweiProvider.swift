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
        guard let content, let secret = HuaweiProvider.secret(content) else {
            return BrokenGateway(reason: "\(file.field): \(file.path) contains no readable client secret")
        }
        guard HuaweiProvider.isPathSafe(credentials.clientID), HuaweiProvider.isPathSafe(credentials.project ?? "1")
        else { return BrokenGateway(reason: "providers.huawei: client_id and project take letters, digits, - and _") }
        let path = credentials.project.map { "/v2/\($0)" } ?? "/v1/\(credentials.clientID)"
        let tokens = TokenCache(refreshDeadline: tokenLimit, time: time, random: random) {
            [self] () async throws(TokenError) in
            try await AccessTokens(client: client).issue(
                [
                    ("grant_type", Secret("client_credentials")), ("client_id", Secret(credentials.clientID)),
                    ("client_secret", secret),
                ], from: configuration.tokenURL)
        }
        return HuaweiGateway(
            url: "\(configuration.url)\(path)/messages:send", client: client, tokens: tokens,
            gate: SendGate(configuration.window, of: app, kind: kind, time: time, log: log), time: time)
    }

    func close() async {
        await client.close(within: .seconds(1))
    }

    /// The file's only line.
    private static func secret(_ content: [UInt8]) -> Secret? {
        guard var text = OutsideText.string(content) else { return nil }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text.isEmpty ? nil : Secret(text)
    }

    private static func isPathSafe(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                switch $0 {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
                default: false
                }
            }
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
