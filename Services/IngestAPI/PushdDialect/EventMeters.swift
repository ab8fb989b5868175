import ServiceKit

/// What became of each datagram: exactly one outcome.
struct EventMeters: Sendable {
    enum Outcome: String, CaseIterable {
        /// Durable.
        case accepted
        case purged
        /// See `EventDrop`.
        case dropped
        case queueFull = "queue_full"
        /// Dropped by the kernel.
        case kernel
        /// In the queue when the drain's time was over.
        case lost
    }

    private let outcomes: [Outcome: Counter]
    private let refusals: [EventGate.Refusal: Counter]
    private let waiting: Gauge

    init(_ metrics: Metrics) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(.ingestDatagramsHandled, labels: ["outcome": outcome])
        }
        outcomes = Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0, counter($0.rawValue)) })
        refusals = Dictionary(uniqueKeysWithValues: EventGate.Refusal.allCases.map { ($0, counter($0.rawValue)) })
        waiting = metrics.gauge(.ingestEventsQueued)
    }

    func count(_ outcome: Outcome, by count: Int = 1) {
        if count > 0 { outcomes[outcome]?.increment(by: count) }
    }

    func count(_ refusal: EventGate.Refusal) {
        refusals[refusal]?.increment()
    }

    func queued(_ count: Int) {
        waiting.set(count)
    }
}
