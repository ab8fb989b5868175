package import Bus
package import ServiceKit

/// Clock, random numbers, log and metrics of the code under test; each test has its own, and can reach every part.
package struct TestEnvironment<Time: TimeSource>: Sendable {
    package let time: Time
    package let random: any RandomSource
    /// What is logged.
    package let sink: CollectingSink
    package let metrics: Metrics
    package let health: Health
    package let log: Log

    /// Tests with real servers pass `SystemRandomSource`: their processes must not share ids.
    package init(
        time: Time = ManualTimeSource(), random: any RandomSource = SeededRandomSource(seed: 1),
        level: LogLevel = .info, sink: CollectingSink = CollectingSink(), metrics: Metrics = Metrics()
    ) {
        self.time = time
        self.random = random
        self.sink = sink
        self.metrics = metrics
        health = Health(time: time)
        log = Log(service: "test", level: level, sink: sink, time: time)
    }

    package var forWorkers: WorkerEnvironment {
        WorkerEnvironment(time: time, random: random, log: log, metrics: metrics, health: health)
    }
}

extension TestEnvironment where Time == SystemTimeSource {
    /// The real clock, and random numbers that differ between processes.
    package static var real: TestEnvironment {
        TestEnvironment(time: SystemTimeSource(), random: SystemRandomSource())
    }
}
