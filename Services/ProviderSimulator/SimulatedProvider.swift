import HTTP2
import ServiceKit
import TLSSocket

/// A provider and its server.
struct SimulatedProvider: Sendable {
    let port: ProviderPort
    let server: HTTP2Server

    init(
        _ rules: any ProviderRules, configuration: SimulatorConfiguration, on port: UInt16,
        certificates: ServerCertificates, log: Log
    ) throws {
        var tls = TLSServerConfiguration(
            certificateFile: certificates.certificateFile, privateKeyFile: certificates.keyFile)
        // For clients that authenticate to Apple without a token: requested of all, required of none.
        tls.clientAuthorityFile = certificates.authorityFile
        var serverConfiguration = HTTP2ServerConfiguration(tls: tls)
        serverConfiguration.address = configuration.address
        serverConfiguration.port = port
        serverConfiguration.requiresALPN = false
        serverConfiguration.streamsMaximum = configuration.streamsMaximum
        // libcurl resets the stream of each answer without a body.
        serverConfiguration.resetsMaximum = 100_000
        // A thousand tokens of Huawei take some 150 KiB.
        serverConfiguration.requestBodyMaximum = 512 << 10
        let providerPort = ProviderPort(rules, limits: configuration.limits)
        self.port = providerPort
        server = try HTTP2Server(serverConfiguration, log: log) { providerPort.reaction(to: $0) }
    }
}
