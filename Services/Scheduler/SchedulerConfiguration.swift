import ServiceKit

/// What `scheduler` is configured with, beside what every service is.
struct SchedulerConfiguration: Sendable {
    let lease: Duration

    init(environment: inout EnvironmentReader) {
        lease = environment.duration(
            "CARILLON_SCHEDULER_LEASE", default: .seconds(60), in: .seconds(1) ... .seconds(3_600),
            meaning: "How long retries that a scheduler was releasing when it died wait for another scheduler.")
    }

    /// How long a release waits for room: not into the time a stop has, and not so long that its lease were over before
    /// the rest is done, or its retries were released twice.
    var patience: Duration { min(.seconds(10), lease / 2) }
}
