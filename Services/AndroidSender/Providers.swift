import Bus
import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import RedisStore

/// The shared resources of the two providers.
struct Providers: Sendable {
    let pool: HTTP2Pool
    let clients: [HTTPClient]
    private let fcm: FCMProvider
    private let huawei: HuaweiProvider

    init(_ configuration: AndroidSenderConfiguration, store: StoreConnection, environment: WorkerEnvironment) {
        let (log, metrics, time) = (environment.log, environment.metrics, environment.time)
        pool = HTTP2Pool(
            configuration.fcm.endpoint, configuration: configuration.fcm.pool, log: log, metrics: metrics, time: time,
            random: environment.random)
        let google = HTTPClient(
            configuration: configuration.fcm.tokenClient, log: log, metrics: metrics, time: time)
        fcm = FCMProvider(
            configuration: configuration.fcm, pool: pool, accessTokens: AccessTokens(client: google), store: store,
            tokenLimit: configuration.tokenLimit, time: time, random: environment.random, log: log)
        let huaweiClient = HTTPClient(
            configuration: configuration.huawei.client, log: log, metrics: metrics, time: time)
        huawei = HuaweiProvider(
            configuration: configuration.huawei, client: huaweiClient, tokenLimit: configuration.tokenLimit, time: time,
            random: environment.random, log: log)
        clients = [google, huaweiClient]
    }

    func gateway(_ credentials: AndroidGateways.Credentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        switch credentials {
        case .fcm(let credentials): fcm.gateway(credentials, content: content, of: app)
        case .huawei(let credentials): huawei.gateway(credentials, content: content, of: app)
        }
    }
}
