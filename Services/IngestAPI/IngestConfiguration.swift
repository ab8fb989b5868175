import Apps
import HTTPServer
import ServiceKit

/// Configuration of `ingest-api` in addition to that of every service.
struct IngestConfiguration: Sendable {
    let apps: AppsConfiguration
    let server: HTTPServerConfiguration
    let sweepInterval: Duration
    let idempotencyLease: Duration
    let limits: RequestLimits.Settings

    private static let proxiesMaximum = 64
    private static let certificateVariable = "CARILLON_INGEST_TLS_CERTIFICATE"

    init(environment: inout EnvironmentReader) {
        var apps = AppsConfiguration(environment: &environment, reading: [.pepper, .users])
        apps.warnsOfUnenforced = true
        self.apps = apps
        var defaults = HTTPServerConfiguration.fitting(
            memoryBytes: MemoryLimit.bytes(), isSecure: environment.isSet(IngestConfiguration.certificateVariable))
        defaults.port = 8_080
        var server = HTTPServerConfiguration(environment: &environment, prefix: "CARILLON_INGEST", defaults: defaults)
        server.proxies = IngestConfiguration.proxies(&environment)
        server.tls = IngestConfiguration.tlsFiles(&environment)
        self.server = server
        sweepInterval = environment.duration(
            "CARILLON_INGEST_SWEEP_INTERVAL", default: .seconds(600), in: .seconds(1) ... .seconds(86_400),
            meaning: "How often leftovers of removed devices and of purged topics are deleted from the registry.")
        idempotencyLease = environment.duration(
            "CARILLON_INGEST_IDEMPOTENCY_LEASE", default: .seconds(15), in: .milliseconds(100) ... .seconds(600),
            meaning: "How long a repeated request is answered 409 if the process that handled its idempotency key died."
        )
        limits = RequestLimits.Settings(environment: &environment)
    }

    private static func tlsFiles(_ environment: inout EnvironmentReader) -> TLSFiles? {
        let certificate = environment.file(
            certificateVariable,
            meaning:
                "PEM file with the certificate chain: the port then accepts TLS only, with HTTP/2 and HTTP/1.1. Reloaded "
                + "when it changes.")
        let privateKey = environment.file(
            "CARILLON_INGEST_TLS_KEY", meaning: "PEM file with the private key of the certificate.")
        switch (certificate, privateKey) {
        case (let certificate?, let privateKey?): return TLSFiles(certificate: certificate, privateKey: privateKey)
        case (nil, nil): return nil
        case (nil, _?):
            environment.reject(
                "CARILLON_INGEST_TLS_KEY", problem: "the certificate is missing",
                fix: "set \(certificateVariable) as well")
        case (_?, nil):
            environment.reject(
                certificateVariable, problem: "the private key is missing",
                fix: "set CARILLON_INGEST_TLS_KEY as well")
        }
        return nil
    }

    private static func proxies(_ environment: inout EnvironmentReader) -> TrustedProxies {
        let ranges = environment.parse(
            "CARILLON_INGEST_PROXIES", default: [AddressRange](), text: "",
            meaning: "Trusted proxies: the client address that they report is used.",
            expected: "up to \(proxiesMaximum) addresses or ranges separated by commas, such as 10.0.0.0/8"
        ) { text in
            let parts = text.split(separator: ",")
            let ranges = parts.compactMap { try? AddressRange(String($0)) }
            return ranges.count == parts.count && ranges.count <= proxiesMaximum ? ranges : nil
        }
        let names = TrustedProxies.Field.allCases.map(\.rawValue)
        let field = environment.parse(
            "CARILLON_INGEST_PROXY_HEADER", default: TrustedProxies.Field.xForwardedFor,
            text: TrustedProxies.Field.xForwardedFor.rawValue,
            meaning: "The header in which these proxies report the client; the other one is ignored.",
            expected: names.joined(separator: " or "), convert: TrustedProxies.Field.init(rawValue:))
        return TrustedProxies(ranges: ranges, field: field)
    }
}
