/// One fault or delay, and the requests that it applies to.
struct FaultRule: Sendable, Equatable {
    enum Endpoint: String, Sendable {
        case send
        /// The endpoint for access tokens.
        case token
        /// Apple's endpoints that manage channels.
        case channels
        /// Apple's endpoint that publishes to a channel.
        case broadcast
    }

    enum Effect: Sendable, Equatable {
        /// `isDelivered`: the request is accepted and counted first, and only its answer is lost.
        case fault(Fault, isDelivered: Bool)
        case delay(DelayDistribution)
    }

    enum Selection: Sendable, Equatable {
        case always
        case next(Int)
        /// Share of all requests, from 0 to 1.
        case share(Double)
    }

    let endpoint: Endpoint
    let effect: Effect
    var selection: Selection
}
