import Apps
import Bus
import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import RedisStore
import ServiceKit
import Signing
import Store

/// Resources for Google that all apps share; makes each app's gateway.
struct FCMProvider: PushProvider {
    let kind = PushProtocol.fcm
    let configuration: FCMConfiguration
    let pool: HTTP2Pool
    let accessTokens: AccessTokens
    /// Holds the quotas of the projects; nil to send without one.
    let store: StoreConnection?
    let tokenLimit: Duration
    let time: any TimeSource
    let random: any RandomSource
    let log: Log

    func credentials(in providers: ProviderCredentials) -> FCMCredentials? { providers.fcm }

    func file(of credentials: FCMCredentials) -> KeyFile? { credentials.serviceAccountFile }

    func gateway(_ credentials: FCMCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        let file = credentials.serviceAccountFile
        guard let content else { return BrokenGateway(reason: "\(file.field): \(file.path) cannot be read") }
        do throws(ServiceAccount.FormatError) {
            let account = try ServiceAccount(content, file: file.path)
            let project = credentials.project ?? account.project
            guard ServiceAccount.isProject(project) else {
                return BrokenGateway(reason: "providers.fcm.project: expected the ID or number of a project")
            }
            return FCMGateway(
                project: project, pool: pool, tokens: tokens(account), quota: quota(project),
                gate: SendGate(configuration.window, of: app, kind: kind, time: time, log: log), time: time)
        } catch {
            return BrokenGateway(reason: error.description)
        }
    }

    func close() async {
        await pool.close()
        await accessTokens.client.close(within: .seconds(1))
    }

    private func tokens(_ account: ServiceAccount) -> TokenCache {
        TokenCache(refreshDeadline: tokenLimit, time: time, random: random) {
            [accessTokens, time] () async throws(TokenError) in
            let assertion: Secret
            do throws(SigningError) {
                assertion = try account.assertion(at: time.now)
            } catch {
                throw TokenError(.refused, message: error.description)
            }
            return try await accessTokens.issue(
                [
                    ("grant_type", Secret("urn:ietf:params:oauth:grant-type:jwt-bearer")), ("assertion", assertion),
                ], from: account.tokenURL)
        }
    }

    /// An idle project may send one second's quota in a burst.
    private func quota(_ project: String) -> ProjectQuota? {
        guard let store else { return nil }
        let perMinute = configuration.pushesPerMinute
        return ProjectQuota(
            RateBucket(
                RateBucket.Settings(
                    name: "fcm:\(project)", permitsPerMinute: perMinute, burst: max(1, perMinute / 60)), in: store))
    }
}

extension FCMProvider {
    init(
        _ configuration: FCMConfiguration, store: StoreConnection?, tokenLimit: Duration, environment: WorkerEnvironment
    ) {
        let (log, metrics, time) = (environment.log, environment.metrics, environment.time)
        let client = HTTPClient(configuration: configuration.tokenClient, log: log, metrics: metrics, time: time)
        self.init(
            configuration: configuration,
            pool: HTTP2Pool(
                configuration.endpoint, configuration: configuration.pool, log: log, metrics: metrics, time: time,
                random: environment.random),
            accessTokens: AccessTokens(client: client), store: store, tokenLimit: tokenLimit, time: time,
            random: environment.random, log: log)
    }
}
