import PushModel
import ServiceKit

/// Counts and logs dropped events.
struct EventDrops: Sendable {
    private let dropped: [EventDrop.Reason: Counter]
    private let log: RefusalLog

    init(metrics: Metrics, log: RefusalLog) {
        self.log = log
        dropped = Dictionary(
            uniqueKeysWithValues: EventDrop.Reason.allCases.map {
                ($0, metrics.counter(.ingestEventsDropped, labels: ["reason": $0.rawValue]))
            })
    }

    func note(_ drop: EventDrop, of event: TopicName) {
        dropped[drop.reason]?.increment()
        log.warning("event dropped", because: DroppedEvent(event: event, drop: drop))
    }
}

/// For the log.
private struct DroppedEvent: Error, CustomStringConvertible {
    let event: TopicName
    let drop: EventDrop

    var description: String { "\(event): \(drop)" }
}
