import ServiceKit

/// State shared by the event loops of one server.
final class ServerCore: Sendable {
    let configuration: HTTPServerConfiguration
    let router: HTTPRouter
    let log: Log
    let time: any TimeSource
    let instruments: HTTPServerInstruments
    let budget: BodyBudget

    init(
        name: String, configuration: HTTPServerConfiguration, router: HTTPRouter, log: Log, metrics: Metrics,
        time: any TimeSource
    ) {
        self.configuration = configuration
        self.router = router
        self.log = log
        self.time = time
        instruments = HTTPServerInstruments(server: name, routes: router.routeNames, metrics: metrics)
        budget = BodyBudget(bytesMaximum: configuration.bodiesBytesMaximum, gauge: instruments.bodyBytesBuffered)
    }
}
