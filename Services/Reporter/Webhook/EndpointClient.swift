import HTTPClient

/// Sends posts to endpoints; the simulation has one without a network.
protocol EndpointClient: Sendable {
    func send(_ request: HTTPClientRequest) async -> HTTPClientOutcome
}

extension HTTPClient: EndpointClient {}
