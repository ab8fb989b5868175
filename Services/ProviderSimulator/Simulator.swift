import HTTP2
import HTTPServer
import ServiceKit

/// The three simulated providers with their credentials and certificates, running from `init` to `stop`.
struct Simulator: Sendable {
    let announcement: Announcement
    private let providers: [Provider: SimulatedProvider]
    private let admin: HTTPServer

    init(_ configuration: SimulatorConfiguration, log: Log) throws {
        let folder = try SimulatorFolder(configuration.folder)
        let certificates = try ServerCertificates(
            in: folder, host: configuration.host, bundle: configuration.bundle)
        let apple = try AppleAccount(in: folder)
        let google = try GoogleAccount(project: configuration.project)
        let huawei = try HuaweiAccount(in: folder)
        let rules: [Provider: any ProviderRules] = [
            .apns: AppleRules(bundle: configuration.bundle, AppleProviderTokens(of: apple)),
            .fcm: GoogleRules(google),
            .huawei: HuaweiRules(huawei),
        ]
        providers = try Dictionary(
            uniqueKeysWithValues: rules.map { provider, rules in
                let port = configuration.ports[provider] ?? 0
                return (
                    provider,
                    try SimulatedProvider(
                        rules, configuration: configuration, on: port, certificates: certificates, log: log)
                )
            })
        admin = HTTPServer(
            name: "admin",
            configuration: HTTPServerConfiguration(address: configuration.address, port: configuration.adminPort),
            router: AdminAPI(providers).router, log: log, metrics: Metrics())
        try admin.start()
        let ports = providers.mapValues { $0.server.port }
        // The token endpoint's port is only known now.
        let tokenURL = "https://\(configuration.host):\(ports[.fcm] ?? 0)\(GoogleRules.tokenPath)"
        providers[.fcm]?.port.changeCredentials(CredentialChange(tokenURL: tokenURL))
        announcement = Announcement(
            configuration: configuration, ports: ports, adminPort: admin.port ?? 0, certificates: certificates,
            apple: apple, google: google,
            serviceAccountFile: try google.write(in: folder, tokenURL: tokenURL), huawei: huawei)
    }

    func stop() async {
        await admin.stop(within: .seconds(1))
        for provider in providers.values { await provider.server.close() }
    }
}
