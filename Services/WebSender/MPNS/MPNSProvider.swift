import Apps
import Bus
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Store
import Synchronization

/// Makes each app's gateway to MPNS. Apps with the same certificate, and all without one, share a client; clients that
/// no app uses any more are closed.
final class MPNSProvider: PushProvider {
    let kind = PushProtocol.mpns
    private let configuration: MPNSConfiguration
    private let environment: WorkerEnvironment
    private let meters: OriginMeters
    private let failingServers: any FailingServers
    private let clients = Mutex<[MPNSCredentials: HTTPClient]>([:])

    init(_ configuration: MPNSConfiguration, failingServers: any FailingServers, environment: WorkerEnvironment) {
        self.configuration = configuration
        self.failingServers = failingServers
        self.environment = environment
        meters = OriginMeters(environment.metrics, kind: kind)
    }

    func credentials(in providers: ProviderCredentials) -> MPNSCredentials? { providers.mpns }

    /// A client reads its certificate for each connection.
    func file(of credentials: MPNSCredentials) -> KeyFile? { nil }

    func gateway(_ credentials: MPNSCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        MPNSGateway(
            configuration, requests: OriginRequests(client: client(credentials)),
            gate: configuration.traffic.gate(
                of: app, kind: kind, meters: meters, failingServers: failingServers, time: environment.time,
                random: environment.random,
                log: environment.log),
            time: environment.time)
    }

    func closeUnused(keeping credentials: [MPNSCredentials]) {
        let used = Set(credentials)
        let unused = clients.withLock { clients in
            let unused = clients.filter { !used.contains($0.key) }
            for key in unused.keys { clients[key] = nil }
            return unused.values
        }
        // Requests in flight get their time to be answered.
        for client in unused { Task { [configuration] in await client.close(within: configuration.traffic.deadline) } }
    }

    func close() async {
        let clients = clients.withLock { clients in
            defer { clients = [:] }
            return clients.values
        }
        for client in clients { await client.close(within: .seconds(1)) }
    }

    private func client(_ credentials: MPNSCredentials) -> HTTPClient {
        clients.withLock { clients in
            if let client = clients[credentials] { return client }
            var configuration = configuration.traffic.client(named: "mpns")
            configuration.certificateFile = credentials.certificateFile?.path
            configuration.privateKeyFile = (credentials.certificateKeyFile ?? credentials.certificateFile)?.path
            let client = HTTPClient(
                configuration: configuration, log: environment.log, metrics: environment.metrics,
                time: environment.time)
            clients[credentials] = client
            return client
        }
    }
}
