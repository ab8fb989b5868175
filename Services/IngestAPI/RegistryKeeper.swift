import RedisClient
import ServiceKit
import Store

/// Sweeps the registry while the service runs, and closes its connection after all users have stopped.
struct RegistryKeeper: Service {
    let name = "registry keeper"
    private let registry: any RegistryMaintenance
    private let redis: RedisClient
    private let interval: Duration
    private let log: Log
    private let time: any TimeSource
    private let stopped = OneTimeEvent()

    init(
        _ registry: any RegistryMaintenance, redis: RedisClient, interval: Duration, log: Log, time: any TimeSource
    ) {
        self.registry = registry
        self.redis = redis
        self.interval = interval
        self.log = log
        self.time = time
    }

    func run() async {
        let sweeping = Task { await sweepAgainAndAgain() }
        await stopped.wait()
        // Also aborts a running sweep; the next sweep starts from the beginning.
        await redis.close()
        await sweeping.value
    }

    func stop() {
        stopped.happen()
    }

    private func sweepAgainAndAgain() async {
        while await !stopped.wait(atMost: interval, time: time) {
            do throws(StoreError) {
                let report = try await registry.sweep()
                log.debug("registry swept", [.count: "\(report.removedDevices + report.topicEntries)"])
            } catch {
                log.warning("registry sweep failed", [.error: error.description])
            }
        }
    }
}
