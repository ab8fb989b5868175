import ServiceKit
import Store

struct RetryMeters: Sendable {
    let held: Gauge
    private let released: Counter
    private let lateness: Gauge

    init(_ metrics: Metrics, shard: RetryShard) {
        held = metrics.gauge(.schedulerRetriesHeld, labels: ["lane": shard.laneName, "shard": "\(shard.number)"])
        lateness = metrics.gauge(.schedulerRetryLateness, labels: ["lane": shard.laneName, "shard": "\(shard.number)"])
        released = metrics.counter(.schedulerDevicesReleased, labels: ["lane": shard.laneName])
    }

    func note(_ devices: Int, lease: RetryLease) {
        released.increment(by: devices)
        guard let first = lease.entries.first else { return }
        lateness.set(Int((lease.taken - first.due).wholeMilliseconds))
    }
}
