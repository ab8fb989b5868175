package import ServiceKit

/// Dependencies that all workers of a process share.
package struct WorkerEnvironment: Sendable {
    package let time: any TimeSource
    package let random: any RandomSource
    package let log: Log
    package let metrics: Metrics
    package let health: Health

    package init(time: any TimeSource, random: any RandomSource, log: Log, metrics: Metrics, health: Health) {
        self.time = time
        self.random = random
        self.log = log
        self.metrics = metrics
        self.health = health
    }
}
