import ServiceKit
import Store

struct RetryMeters: Sendable {
    let held: Gauge
    private let released: Counter
    private let lateness: Gauge

    init(_ metrics: Metrics, _ shard: RetryShard) {
        held = metrics.gauge(.schedulerRetriesHeld, ["lane": shard.laneName, "shard": "\(shard.number)"])
        lateness = metrics.gauge(.schedulerRetryLateness, ["lane": shard.laneName, "shard": "\(shard.number)"])
        released = metrics.counter(.schedulerDevicesReleased, ["lane": shard.laneName])
    }

    func note(_ devices: Int, _ lease: RetryLease) {
        released.increment(by: devices)
        guard let first = lease.entries.first else { return }
        lateness.set(Int((lease.taken - first.due).wholeMilliseconds))
    }
}
