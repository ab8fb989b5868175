import Apps
import Bus
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Signing
import Store

/// Resources for push services that all apps share; makes each app's gateway.
struct WebPushProvider: PushProvider {
    let kind = PushProtocol.webpush
    let configuration: WebPushConfiguration
    let services: PushServices
    let meters: OriginMeters
    let failingServers: any FailingServers
    let time: any TimeSource
    let random: any RandomSource
    let log: Log

    init(_ configuration: WebPushConfiguration, failingServers: any FailingServers, environment: WorkerEnvironment) {
        self.configuration = configuration
        self.failingServers = failingServers
        time = environment.time
        random = environment.random
        log = environment.log
        meters = OriginMeters(environment.metrics, kind: kind, services: configuration.services)
        services = PushServices(
            configuration,
            pools: PushServicePools(
                configuration.pool, poolsMaximum: configuration.poolsMaximum, environment: environment),
            client: HTTPClient(
                configuration: configuration.traffic.client(named: "webpush"), log: environment.log,
                metrics: environment.metrics, time: environment.time))
    }

    func credentials(in providers: ProviderCredentials) -> WebPushCredentials? { providers.webpush }

    func file(of credentials: WebPushCredentials) -> KeyFile? { credentials.keyFile }

    func gateway(_ credentials: WebPushCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        let file = credentials.keyFile
        guard let content, let pem = Secret(text: content) else {
            return BrokenGateway(reason: "\(file.field): \(file.path) cannot be read, or is empty")
        }
        do throws(SigningError) {
            let key = try VAPIDKey(SigningKey(pem: pem, from: "\(file.field): \(file.path)", for: .es256))
            return WebPushGateway(
                tokens: VAPIDTokens(key, contact: credentials.contact, time: time), services: services,
                gate: configuration.traffic.gate(
                    of: app, kind: kind, meters: meters, failingServers: failingServers, time: time, random: random,
                    log: log),
                time: time)
        } catch {
            return BrokenGateway(reason: error.message)
        }
    }

    func close() async {
        await services.close()
    }
}
