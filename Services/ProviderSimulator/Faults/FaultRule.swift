/// One thing that shall go wrong, and how often.
struct FaultRule: Sendable, Equatable {
    enum Endpoint: String, Sendable {
        case send
        /// Where access tokens are fetched.
        case token
    }

    enum Effect: Sendable, Equatable {
        /// `isDelivered`: the push is taken and counted first, and only its answer is lost.
        case fault(Fault, isDelivered: Bool)
        case delay(DelayDistribution)
    }

    enum Selection: Sendable, Equatable {
        case always
        case next(Int)
        /// Of all requests, from 0 to 1.
        case share(Double)
    }

    let endpoint: Endpoint
    let effect: Effect
    var selection: Selection
}
