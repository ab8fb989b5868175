import Apps
import Bus
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Signing
import Store

/// Resources for publishers' servers that all apps share; makes each app's gateway.
struct HTTPPushProvider: PushProvider {
    let kind = PushProtocol.http
    let configuration: HTTPPushConfiguration
    let client: HTTPClient
    let meters: OriginMeters
    let failingServers: any FailingServers
    let time: any TimeSource
    let random: any RandomSource
    let log: Log

    init(_ configuration: HTTPPushConfiguration, failingServers: any FailingServers, environment: WorkerEnvironment) {
        self.configuration = configuration
        self.failingServers = failingServers
        time = environment.time
        random = environment.random
        log = environment.log
        meters = OriginMeters(environment.metrics, kind: kind)
        client = HTTPClient(
            configuration: configuration.traffic.client(named: "http-push"), log: environment.log,
            metrics: environment.metrics, time: time)
    }

    func credentials(in providers: ProviderCredentials) -> HTTPPushCredentials? { providers.http }

    func file(of credentials: HTTPPushCredentials) -> KeyFile? { credentials.signingKeyFile }

    func gateway(_ credentials: HTTPPushCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        let key = content.flatMap { Secret(text: $0) }.map { HMACKey(Array($0.reveal().utf8)) }
        if let file = credentials.signingKeyFile, key == nil {
            return BrokenGateway(reason: "\(file.field): no readable text in \(file.path)")
        }
        return HTTPPushGateway(
            configuration, requests: OriginRequests(client: client), signingKey: key,
            gate: configuration.traffic.gate(
                of: app, kind: kind, meters: meters, failingServers: failingServers, time: time, random: random,
                log: log),
            time: time)
    }

    func close() async {
        await client.close(within: .seconds(1))
    }
}
