/// Number of connections, requests in flight over all of them together, and delay of each answer.
struct SendShape: Sendable, Equatable {
    /// The shape whose figures have no shape in their names.
    static let reference = SendShape(connections: 4, inFlight: 1_000)

    static let all = [1, 4].flatMap { connections in
        [100, 500, 1_000].map { SendShape(connections: connections, inFlight: $0) }
    }

    let connections: Int
    let inFlight: Int
    private(set) var delay = Duration.zero

    init(connections: Int, inFlight: Int) {
        self.connections = connections
        self.inFlight = inFlight
    }

    func delayed(_ delay: Duration) -> SendShape {
        var shape = self
        shape.delay = delay
        return shape
    }

    var name: String {
        "\(connections)x\(inFlight)" + (delay > .zero ? ".\(Int((delay / .milliseconds(1)).rounded()))ms" : "")
    }

    var streamsPerConnection: Int { inFlight / connections }

    /// With a delay, a hundred times the requests in flight suffice; more would only prolong the run.
    func requests(atMost maximum: Int) -> Int {
        delay > .zero ? min(maximum, inFlight * 100) : maximum
    }
}
