import ServiceKit

/// The metrics of one client, looked up once; failures are rare and looked up when they occur.
struct HTTPClientInstruments: Sendable {
    let requestsOpen: Gauge
    private let durations: Histogram
    private let answered: [Counter]
    private let client: String
    private let metrics: Metrics

    init(client: String, metrics: Metrics) {
        self.client = client
        self.metrics = metrics
        requestsOpen = metrics.gauge(.httpClientRequestsOpen, labels: ["client": client])
        durations = metrics.histogram(.httpClientRequestDuration, labels: ["client": client])
        answered = (2...5).map {
            metrics.counter(.httpClientRequestsAnswered, labels: ["client": client, "status": "\($0)xx"])
        }
    }

    func count(_ outcome: HTTPClientOutcome, duration: Duration) {
        switch outcome {
        case .answered(let response):
            // HTTP has five classes of status, but a server may send any number.
            answered[min(response.status / 100, 5) - 2].increment()
            durations.record(duration)
        case .notSent(let failure): countFailure(failure, outcome: "not_sent")
        case .unknown(let failure): countFailure(failure, outcome: "unknown")
        }
    }

    private func countFailure(_ failure: HTTPClientError, outcome: String) {
        let labels: Metrics.Labels = ["client": client, "outcome": outcome, "reason": failure.code.rawValue]
        metrics.counter(.httpClientRequestsFailed, labels: labels).increment()
    }
}
