import ServiceKit

/// The metrics of a pool, by host.
struct PoolInstruments: Sendable {
    let connections: Gauge
    let connectionsLost: Counter
    let answered: Counter
    let notSent: Counter
    let unknown: Counter
    let resent: Counter
    let durations: Histogram

    init(_ metrics: Metrics, endpoint: HTTP2Endpoint) {
        let host = "\(endpoint)"
        func outcome(_ name: String) -> Counter {
            metrics.counter(.http2RequestsSettled, labels: ["host": host, "outcome": name])
        }
        connections = metrics.gauge(.http2ConnectionsOpen, labels: ["host": host])
        connectionsLost = metrics.counter(.http2ConnectionsLost, labels: ["host": host])
        answered = outcome("answered")
        notSent = outcome("not_sent")
        unknown = outcome("unknown")
        resent = metrics.counter(.http2RequestsResent, labels: ["host": host])
        durations = metrics.histogram(.http2RequestDuration, labels: ["host": host])
    }

    func count(_ outcome: HTTP2Outcome, after duration: Duration) {
        switch outcome {
        case .answered: answered.increment()
        case .notSent: notSent.increment()
        case .unknown: unknown.increment()
        }
        durations.record(duration)
    }
}
