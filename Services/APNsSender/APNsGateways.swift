import Apps
import Bus
import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Synchronization

/// A gateway for each app that sends, replaced when the app file changes. Accounts that no app uses any more are
/// closed.
final class APNsGateways: GatewayDirectory, Service {
    typealias Lookup = @Sendable (AppID) -> PushApp?

    private struct State {
        var gateways: [AppID: APNsGateway] = [:]
        var accounts: [APNsCredentials.Proof: APNsAccount] = [:]
    }

    private static let sweepInterval = Duration.seconds(60)

    let name = "apns gateways"
    private let configuration: APNsConfiguration
    private let resources: APNsResources
    private let lookup: Lookup
    private let state = Mutex(State())
    private let stopped = OneTimeEvent()

    init(_ configuration: APNsConfiguration, environment: WorkerEnvironment, lookup: @escaping Lookup) {
        self.configuration = configuration
        resources = APNsResources(environment)
        self.lookup = lookup
    }

    func gateway(for app: AppID, _ kind: PushProtocol) -> GatewayLookup {
        guard kind == .apns, let gateway = gateway(for: app) else {
            return lookup(app) == nil ? .unknownApp : .noProvider
        }
        return .found(gateway)
    }

    /// Without credentials an existing gateway is dropped.
    func gateway(for app: AppID) -> APNsGateway? {
        let credentials = lookup(app)?.providers.apns
        let (gateway, unused) = state.withLock { state -> (APNsGateway?, [APNsAccount]) in
            let known = state.gateways[app]
            guard known?.credentials != credentials else { return (known, []) }
            state.gateways[app] = credentials.map { make($0, of: app, state: &state) }
            return (state.gateways[app], takeUnused(&state))
        }
        close(unused)
        return gateway
    }

    func run() async {
        while await !stopped.wait(atMost: APNsGateways.sweepInterval, time: resources.time) {
            // A removed app gets no more chunks, so no lookup would drop its gateway.
            for app in state.withLock({ $0.gateways.keys }) { _ = gateway(for: app) }
        }
        let accounts = state.withLock { state in
            defer { state = State() }
            return state.accounts.values
        }
        for account in accounts { await account.close() }
        resources.reactor.stop()
    }

    func stop() {
        stopped.happen()
    }

    private func make(_ credentials: APNsCredentials, of app: AppID, state: inout State) -> APNsGateway {
        let account =
            state.accounts[credentials.proof]
            ?? APNsAccount(credentials.proof, configuration: configuration, resources: resources)
        state.accounts[credentials.proof] = account
        let gate = SendGate(configuration.window, time: resources.time) { [log = resources.log] in
            log.note($0, app: app, kind: .apns)
        }
        return APNsGateway(credentials, account: account, gate: gate)
    }

    private func takeUnused(_ state: inout State) -> [APNsAccount] {
        let used = Set(state.gateways.values.map(\.credentials.proof))
        let unused = state.accounts.filter { !used.contains($0.key) }
        for proof in unused.keys { state.accounts[proof] = nil }
        return Array(unused.values)
    }

    private func close(_ accounts: [APNsAccount]) {
        for account in accounts {
            Task { await account.close() }
        }
    }
}
