import Apps
import Bus
import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Store
import Synchronization

/// Makes each app's gateway to Apple. Apps with the same key or certificate share an account; accounts that no app uses
/// any more are closed.
final class APNsProvider: PushProvider {
    let kind = PushProtocol.apns
    private let configuration: APNsConfiguration
    private let resources: APNsResources
    private let accounts = Mutex<[APNsCredentials.Proof: APNsAccount]>([:])
    private let channels: any ChannelStore

    init(_ configuration: APNsConfiguration, channels: any ChannelStore, environment: WorkerEnvironment) {
        self.configuration = configuration
        self.channels = channels
        resources = APNsResources(environment)
    }

    func credentials(in providers: ProviderCredentials) -> APNsCredentials? { providers.apns }

    /// An account reads its key each time it signs a token.
    func file(of credentials: APNsCredentials) -> KeyFile? { nil }

    func gateway(_ credentials: APNsCredentials, content: [UInt8]?, of app: AppID) -> any PushGateway {
        let gate = SendGate(configuration.window, of: app, kind: kind, time: resources.time, log: resources.log)
        let feeds = ChannelFeeds(sweep(credentials, of: app), log: resources.log)
        return APNsGateway(credentials, account: account(credentials.proof), feeds: feeds, gate: gate)
    }

    func sweep(_ credentials: APNsCredentials, of app: AppID) -> ChannelSweep {
        ChannelSweep(
            space: app.activities,
            client: ChannelClient(topic: credentials.topic, account: account(credentials.proof)), store: channels,
            retention: configuration.channelRetention, time: resources.time)
    }

    func services(for apps: AppDirectory) -> [any Service] {
        [
            ChannelSweeper(
                of: { apps.current.apps }, deletesUnknown: configuration.deletesUnknownChannels, time: resources.time,
                log: resources.log, metrics: resources.metrics
            ) { self.sweep($0, of: $1) }
        ]
    }

    func closeUnused(keeping credentials: [APNsCredentials]) {
        let used = Set(credentials.map(\.proof))
        let unused = accounts.withLock { accounts in
            let unused = accounts.filter { !used.contains($0.key) }
            for proof in unused.keys { accounts[proof] = nil }
            return unused.values
        }
        for account in unused {
            Task { await account.close() }
        }
    }

    func close() async {
        let accounts = accounts.withLock { accounts in
            defer { accounts = [:] }
            return accounts.values
        }
        for account in accounts { await account.close() }
        resources.reactor.stop()
    }

    private func account(_ proof: APNsCredentials.Proof) -> APNsAccount {
        accounts.withLock { accounts in
            if let account = accounts[proof] { return account }
            let account = APNsAccount(proof, configuration: configuration, resources: resources)
            accounts[proof] = account
            return account
        }
    }
}
