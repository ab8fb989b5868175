import Apps
import HTTPServer
import PushModel

/// An authorized request of a pushd client.
struct PushdCall: Sendable {
    private let authorized: AuthorizedRequest
    private let limits: RequestLimits
    private let reading: BodyReading

    init(_ authorized: AuthorizedRequest, limits: RequestLimits, reading: BodyReading) {
        self.authorized = authorized
        self.limits = limits
        self.reading = reading
    }

    var request: HTTPRequest { authorized.request }
    var caller: AuthorizedCaller { authorized.caller }
    var base: String { authorized.base }
    var app: AppID { authorized.app }

    /// Nil for a malformed id, which clients see as an unknown subscriber. Throws for an address that requested too
    /// many unknown subscribers, even if this one exists.
    var subscriber: DeviceID? {
        get throws(Gatekeeper.AccessError) {
            guard let id = DeviceID(request.parameter("id")) else { return nil }
            try limits.admitSearch(in: app, from: request.peer)
            return id
        }
    }

    func fields() async throws -> RequestFields {
        try await reading.read(request, account: caller.account) { [request] in try RequestFields(request) }
    }

    func event() throws(PushdError) -> TopicName {
        try PushdEvent.topic(request.parameter("event"))
    }
}
