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
    let addresses: DeviceAddressRules
    /// Nil for no events over UDP.
    let datagrams: DatagramSettings?
    let console: ConsoleSettings

    private static let prefix = "CARILLON_INGEST"

    init(environment: inout EnvironmentReader) {
        apps = AppsConfiguration(environment: &environment, reading: [.pepper, .users, .webpush])
        var defaults = HTTPServerConfiguration.fitting(
            memoryBytes: MemoryLimit.bytes(),
            isSecure: HTTPServerConfiguration.isSecured(IngestConfiguration.prefix, environment: environment))
        defaults.port = 8_080
        server = HTTPServerConfiguration(
            publicPortOf: IngestConfiguration.prefix, environment: &environment, defaults: defaults)
        sweepInterval = environment.duration(
            "CARILLON_INGEST_SWEEP_INTERVAL", default: .seconds(600), in: .seconds(1) ... .seconds(86_400),
            meaning: "How often leftovers of removed devices and of purged topics are deleted from the registry.")
        idempotencyLease = environment.duration(
            "CARILLON_INGEST_IDEMPOTENCY_LEASE", default: .seconds(15), in: .milliseconds(100) ... .seconds(600),
            meaning: "How long a repeated request is answered 409 if the process that handled its idempotency key died."
        )
        limits = RequestLimits.Settings(environment: &environment)
        addresses = DeviceAddressRules(environment: &environment)
        datagrams = DatagramSettings(environment: &environment)
        console = ConsoleSettings(environment: &environment)
    }
}
