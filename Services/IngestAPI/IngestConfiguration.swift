import Apps
import HTTPServer
import ServiceKit

/// What `ingest-api` is configured with, beside what every service is.
struct IngestConfiguration: Sendable {
    let apps: AppsConfiguration
    let server: HTTPServerConfiguration
    let sweepInterval: Duration
    let idempotencyLease: Duration

    init(environment: inout EnvironmentReader) {
        apps = AppsConfiguration(environment: &environment)
        var defaults = HTTPServerConfiguration()
        defaults.port = 8_080
        server = HTTPServerConfiguration(environment: &environment, prefix: "CARILLON_INGEST", defaults: defaults)
        sweepInterval = environment.duration(
            "CARILLON_INGEST_SWEEP_INTERVAL", default: .seconds(600), in: .seconds(1) ... .seconds(86_400),
            "How often the registry is rid of what removed devices left.")
        idempotencyLease = environment.duration(
            "CARILLON_INGEST_IDEMPOTENCY_LEASE", default: .seconds(15), in: .milliseconds(100) ... .seconds(600),
            "How long a request whose idempotency key was in the hands of a process that died is answered 409.")
    }
}
