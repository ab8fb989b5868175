import HTTP2
import HTTPServer
import ServiceKit
import Signing

/// The simulated providers with their credentials and certificates, running from `init` to `stop`.
struct Simulator: Sendable {
    let announcement: Announcement
    private let providers: [Provider: SimulatedProvider]
    private let admin: HTTPServer
    private let phones: ApplePhones

    init(_ configuration: SimulatorConfiguration, log: Log) throws {
        let folder = try SimulatorFolder(configuration.folder)
        let certificates = try ServerCertificates(
            in: folder, host: configuration.host, bundle: configuration.bundle)
        let accounts = try SimulatedAccounts(configuration, in: folder)
        let subscriptions = WebPushSubscriptions(seed: configuration.seed)
        let seeds = SeededRandomSource(seed: Simulator.number(ofSeed: configuration.seed))
        let phones = ApplePhones(seed: seeds.next(), log: log)
        let channels = AppleChannels(seed: seeds.next(), countMaximum: configuration.channelsMaximum)
        self.phones = phones
        providers = try Dictionary(
            uniqueKeysWithValues: accounts.rules(
                configuration, subscriptions, phones: phones, channels: channels
            ).map { provider, rules in
                let port = configuration.ports[provider] ?? 0
                return (
                    provider,
                    try SimulatedProvider(
                        rules, configuration: configuration, on: port, certificates: certificates, log: log)
                )
            })
        // The ports are only known now.
        let origins = providers.mapValues { "https://\(configuration.host):\($0.server.port)" }
        for (provider, origin) in origins {
            providers[provider]?.port.changeCredentials(CredentialChange(origin: origin))
        }
        let browsers = SubscriptionAPI(subscriptions: subscriptions, origin: origins[.webpush] ?? "")
        admin = HTTPServer(
            name: "admin",
            configuration: HTTPServerConfiguration(address: configuration.address, port: configuration.adminPort),
            router: AdminAPI(
                providers, subscriptions: browsers, phones: PhoneAPI(phones: phones),
                channels: ChannelAPI(channels: channels, phones: phones)
            ).router, log: log, metrics: Metrics())
        try admin.start()
        announcement = Announcement(
            configuration: configuration, ports: providers.mapValues { $0.server.port }, origins: origins,
            adminPort: admin.port ?? 0, certificates: certificates, accounts: accounts,
            serviceAccountFile: try accounts.google.write(
                in: folder, tokenURL: (origins[.fcm] ?? "") + GoogleRules.tokenPath))
    }

    func stop() async {
        await admin.stop(within: .seconds(1))
        for provider in providers.values { await provider.server.close() }
        await phones.stop()
    }

    private static func number(ofSeed text: String) -> UInt64 {
        SHA256.digest(of: Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
