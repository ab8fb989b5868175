import ServiceKit
import Store

struct EntryMeters: Sendable {
    let held: Gauge
    private let released: Counter
    private let lateness: Gauge

    init(_ metrics: Metrics, shard: RetryShard) {
        let (kind, number) = (shard.kind.rawValue, "\(shard.number)")
        switch shard.kind {
        case .fast, .bulk:
            held = metrics.gauge(.schedulerRetriesHeld, labels: ["lane": kind, "shard": number])
            lateness = metrics.gauge(.schedulerRetryLateness, labels: ["lane": kind, "shard": number])
            released = metrics.counter(.schedulerDevicesReleased, labels: ["lane": kind])
        case .tasks:
            held = metrics.gauge(.schedulerTasksHeld, labels: ["shard": number])
            lateness = metrics.gauge(.schedulerTaskLateness, labels: ["shard": number])
            released = metrics.counter(.schedulerTasksReleased)
        }
    }

    /// `count` is of devices or of tasks.
    func note(_ count: Int, lease: RetryLease) {
        released.increment(by: count)
        guard let first = lease.entries.first else { return }
        lateness.set(Int((lease.taken - first.due).wholeMilliseconds))
    }
}
