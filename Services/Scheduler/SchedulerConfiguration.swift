import ServiceKit

/// Settings of `scheduler`, beside those of every service.
struct SchedulerConfiguration: Sendable {
    let lease: Duration

    init(environment: inout EnvironmentReader) {
        lease = environment.duration(
            "CARILLON_SCHEDULER_LEASE", default: .seconds(60), in: .seconds(1) ... .seconds(3_600),
            meaning: "How long retries that a scheduler was releasing when it died wait for another scheduler.")
    }

    /// How long a release waits for room: less than the time for a stop, and short enough that the lease does not
    /// expire before the rest is done, or retries would be released twice.
    var patience: Duration { min(.seconds(10), lease / 2) }
}
