import HTTP2
import HTTPServer
import ServiceKit

/// The simulated providers with their credentials and certificates, running from `init` to `stop`.
struct Simulator: Sendable {
    let announcement: Announcement
    private let providers: [Provider: SimulatedProvider]
    private let admin: HTTPServer

    init(_ configuration: SimulatorConfiguration, log: Log) throws {
        let folder = try SimulatorFolder(configuration.folder)
        let certificates = try ServerCertificates(
            in: folder, host: configuration.host, bundle: configuration.bundle)
        let accounts = try SimulatedAccounts(configuration, in: folder)
        let subscriptions = WebPushSubscriptions(seed: configuration.seed)
        providers = try Dictionary(
            uniqueKeysWithValues: accounts.rules(configuration, subscriptions).map { provider, rules in
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
            router: AdminAPI(providers, subscriptions: browsers).router, log: log, metrics: Metrics())
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
    }
}
