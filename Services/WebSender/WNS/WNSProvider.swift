import Apps
import Bus
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Store

/// Resources for WNS that all apps share; makes each app's gateway.
struct WNSProvider: PushProvider {
    let kind = PushProtocol.wns
    let configuration: WNSConfiguration
    let client: HTTPClient
    let meters: OriginMeters
    let failingServers: any FailingServers
    let accessTokens: AccessTokens
    let tokenLimit: Duration
    let time: any TimeSource
    let random: any RandomSource
    let log: Log

    init(
        _ configuration: WNSConfiguration, tokenLimit: Duration, failingServers: any FailingServers,
        environment: WorkerEnvironment
    ) {
        let metrics = environment.metrics
        self.configuration = configuration
        self.failingServers = failingServers
        self.tokenLimit = tokenLimit
        time = environment.time
        random = environment.random
        log = environment.log
        meters = OriginMeters(metrics, kind: kind, services: PushServiceList(below: configuration.domains))
        client = HTTPClient(
            configuration: configuration.traffic.client(named: "wns"), log: log, metrics: metrics, time: time)
        accessTokens = AccessTokens(
            client: HTTPClient(configuration: configuration.tokenClient, log: log, metrics: metrics, time: time))
    }

    func credentials(in providers: ProviderCredentials) -> WNSCredentials? { providers.wns }

    func file(of credentials: WNSCredentials) -> KeyFile? { credentials.clientSecretFile }

    func gateway(_ credentials: WNSCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        let file = credentials.clientSecretFile
        guard let content, let secret = Secret(line: content) else {
            return BrokenGateway(reason: "\(file.field): \(file.path) contains no readable client secret")
        }
        guard let source = source(of: credentials) else {
            return BrokenGateway(reason: "providers.wns.tenant: expected letters, digits, - and .")
        }
        let tokens = accessTokens.cache(
            of: credentials.clientID, secret: secret, scope: source.scope, from: source.url, limit: tokenLimit,
            time: time, random: random)
        return WNSGateway(
            configuration, requests: OriginRequests(client: client), tokens: tokens,
            gate: configuration.traffic.gate(
                of: app, kind: kind, meters: meters, failingServers: failingServers, time: time, random: random,
                log: log),
            time: time)
    }

    func close() async {
        await client.close(within: .seconds(1))
        await accessTokens.client.close(within: .seconds(1))
    }

    /// Nil for a tenant that is no name.
    private func source(of credentials: WNSCredentials) -> (url: String, scope: String)? {
        guard let tenant = credentials.tenant else { return (configuration.tokenURL, "notify.windows.com") }
        guard
            tenant.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ part in
                RequestText.isPathPart(String(part))
            })
        else { return nil }
        return ("\(configuration.tenantURL)/\(tenant)/oauth2/v2.0/token", "https://wns.windows.com/.default")
    }
}
