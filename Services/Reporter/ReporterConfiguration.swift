import Apps
import HTTPClient
import ServiceKit
import Store

/// Settings of `reporter`, beside those of every service.
struct ReporterConfiguration: Sendable {
    let apps: AppsConfiguration
    let lease: Duration
    let traceRetention: Duration
    let statisticsRetention: Duration
    let webhook: HTTPClientConfiguration
    let webhookPatience: Duration
    let policy: AddressPolicy

    init(environment: inout EnvironmentReader) {
        apps = AppsConfiguration(environment: &environment, reading: [.report])
        lease = environment.duration(
            "CARILLON_REPORTER_LEASE", default: .seconds(60), in: .seconds(1) ... .seconds(3_600),
            meaning: "How long a task that a reporter was checking when it died waits for another reporter.")
        traceRetention = environment.duration(
            "CARILLON_REPORTER_TRACE_RETENTION", default: TaskTraceBounds.retention,
            in: .zero...TaskTraceBounds.retentionMaximum,
            meaning:
                "Retention of status, report and device traces of a closed task with up to 1,000 devices.")
        statisticsRetention = environment.duration(
            "CARILLON_REPORTER_STATISTICS_RETENTION", default: StatisticsBounds.dayRetention,
            in: .seconds(86_400) ... .seconds(4_000 * 86_400),
            meaning: "How long the statistics of a day are kept; those of an hour are kept for 7 days at most.")
        var defaults = HTTPClientConfiguration(name: "webhooks")
        defaults.deadline = .seconds(10)
        defaults.responseBytesMaximum = 4 << 10
        defaults.hostMaximum = 16
        webhook = HTTPClientConfiguration(
            environment: &environment, prefix: "CARILLON_REPORTER_WEBHOOK", defaults: defaults)
        webhookPatience = environment.duration(
            "CARILLON_REPORTER_WEBHOOK_PATIENCE", default: .seconds(86_400), in: .zero ... .seconds(7 * 86_400),
            meaning:
                "How long a report is retried after its task was closed, and a state of a message after it became known."
        )
        policy = AddressPolicy(
            allowing: "CARILLON_REPORTER_ALLOW_ADDRESSES", for: "reports", environment: &environment)
    }
}
