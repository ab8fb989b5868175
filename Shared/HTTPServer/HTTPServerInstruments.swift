import ServiceKit

/// The metrics of one server, looked up once.
struct HTTPServerInstruments: Sendable {
    let connectionsOpen: Gauge
    let bodyBytesBuffered: Gauge
    private let answered: [Counter]
    private let refused: [RequestError.Reason: Counter]
    private let durations: [String: Histogram]

    init(server: String, routes: [String], metrics: Metrics) {
        connectionsOpen = metrics.gauge(.httpConnectionsOpen, labels: ["server": server])
        bodyBytesBuffered = metrics.gauge(.httpBodyBytesBuffered, labels: ["server": server])
        answered = (2...5).map {
            metrics.counter(.httpRequestsAnswered, labels: ["server": server, "status": "\($0)xx"])
        }
        refused = Dictionary(
            uniqueKeysWithValues: RequestError.Reason.allCases.map { reason in
                (reason, metrics.counter(.httpRequestsRefused, labels: ["server": server, "reason": reason.rawValue]))
            })
        durations = Dictionary(
            uniqueKeysWithValues: routes.map { route in
                (route, metrics.histogram(.httpRequestDuration, labels: ["server": server, "route": route]))
            })
    }

    func countRefusal(_ reason: RequestError.Reason) {
        refused[reason]?.increment()
    }

    func countAnswer(_ status: HTTPStatus, route: String?, duration: Duration) {
        answered[status.code / 100 - 2].increment()
        if let route { durations[route]?.record(duration) }
    }
}
