import RedisStore
import ServiceKit

/// Records the counts of publications that have changed in the registry log, where there is one. A rebuild then counts
/// the tasks that follow.
struct TopicCountRecorder: Service {
    /// A topic is recorded at most once in this time by each process.
    private static let interval = Duration.seconds(60)

    let name = "topic count recorder"
    private let registry: RedisRegistry
    private let log: Log
    private let time: any TimeSource
    private let stopped = OneTimeEvent()

    init(_ registry: RedisRegistry, log: Log, time: any TimeSource) {
        self.registry = registry
        self.log = log
        self.time = time
    }

    func run() async {
        while await !stopped.wait(atMost: TopicCountRecorder.interval, time: time) { await record() }
    }

    func stop() {
        stopped.happen()
    }

    private func record() async {
        do {
            try await registry.recordCounts()
        } catch {
            log.warning("topic counts not recorded; retrying", [.error: "\(error)"])
        }
    }
}
