package import ServiceKit

package struct WorkerOptions: Sendable {
    package var concurrency: Int
    /// A message is dead-lettered after this many failures that no outage explains.
    package var attemptsMaximum: Int
    package var backoff: Backoff
    /// A handler whose single attempt takes longer counts as stuck, which `/healthz` reports.
    package var handlerLimit: Duration
    /// Priority of the handlers' tasks; nil for the default priority.
    package var priority: TaskPriority?

    package init(
        concurrency: Int = 4, attemptsMaximum: Int = 5,
        backoff: Backoff = Backoff(first: .milliseconds(200), longest: .seconds(30)),
        handlerLimit: Duration = .seconds(120)
    ) {
        self.concurrency = concurrency
        self.attemptsMaximum = attemptsMaximum
        self.backoff = backoff
        self.handlerLimit = handlerLimit
    }

    package init(environment: inout EnvironmentReader) {
        let defaults = WorkerOptions()
        concurrency = environment.integer(
            "CARILLON_WORKER_CONCURRENCY", default: defaults.concurrency, in: 1...1_024,
            meaning: "Batches processed concurrently, over all partitions of one topic or lane.")
        attemptsMaximum = environment.integer(
            "CARILLON_WORKER_ATTEMPTS", default: defaults.attemptsMaximum, in: 1...1_000,
            meaning:
                "Failures of one message before it is dead-lettered; failures caused by an outage are not counted.")
        let first = environment.duration(
            "CARILLON_WORKER_BACKOFF_FIRST", default: defaults.backoff.first, in: .milliseconds(1) ... .seconds(60),
            meaning: "Backoff after the first failure; it doubles with each further failure.")
        let longest = environment.duration(
            "CARILLON_WORKER_BACKOFF_LONGEST", default: defaults.backoff.longest,
            in: .milliseconds(1) ... .seconds(3_600),
            meaning: "Maximum wait after a failure.")
        if longest < first {
            environment.reject(
                "CARILLON_WORKER_BACKOFF_LONGEST", problem: "shorter than CARILLON_WORKER_BACKOFF_FIRST",
                fix: "set it to at least CARILLON_WORKER_BACKOFF_FIRST")
        }
        backoff = Backoff(first: first, longest: max(first, longest))
        handlerLimit = environment.duration(
            "CARILLON_WORKER_HANDLER_LIMIT", default: defaults.handlerLimit, in: .seconds(1) ... .seconds(86_400),
            meaning: "A batch that takes longer counts as stuck, and /healthz fails.")
    }
}
