import ServiceKit

struct StreamMeters: Sendable {
    /// Why a stream ended. The raw value is a label of a metric.
    enum End: String, CaseIterable {
        /// The client closed it.
        case left
        /// The client read more slowly than its events came.
        case slow
        /// The key, ticket or address range lost the right, or the ticket expired.
        case revoked
        /// The service stopped.
        case drained
        /// The log was replaced by another one.
        case replaced
    }

    let open: Gauge
    let opened: Counter
    let resumed: Counter
    let gaps: Counter
    let eventsRead: Counter
    let eventsRepeated: Counter
    let eventsUnreadable: Counter
    let eventsSent: Counter
    let historyBytes: Gauge
    let delay: Histogram
    private let ended: [End: Counter]

    init(_ metrics: Metrics) {
        open = metrics.gauge(.streamListenersOpen)
        opened = metrics.counter(.streamListenersOpened)
        resumed = metrics.counter(.streamListenersResumed)
        gaps = metrics.counter(.streamGaps)
        eventsRead = metrics.counter(.streamEventsRead)
        eventsRepeated = metrics.counter(.streamEventsRepeated)
        eventsUnreadable = metrics.counter(.streamEventsUnreadable)
        eventsSent = metrics.counter(.streamEventsSent)
        historyBytes = metrics.gauge(.streamHistoryBytes)
        delay = metrics.histogram(.streamDelay)
        ended = Dictionary(
            uniqueKeysWithValues: End.allCases.map {
                ($0, metrics.counter(.streamListenersEnded, labels: ["reason": $0.rawValue]))
            })
    }

    func ended(_ end: End) -> Counter? { ended[end] }
}
