import Apps
import HTTPServer
import PushModel

/// An authorized request to an app.
struct PushdCall: Sendable {
    let request: HTTPRequest
    let caller: AuthorizedCaller
    /// Prefix of paths to this app if the request named it in the path; otherwise empty.
    let base: String
    let limits: RequestLimits
    let reading: BodyReading

    var app: AppID { caller.app.id }

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
        try await reading.read(request, account: caller.account) { [request] in
            do throws(BodyError) {
                return try RequestFields(request)
            } catch {
                throw PushdError.body(error)
            }
        }
    }

    func event() throws(PushdError) -> TopicName {
        try PushdEvent.topic(request.parameter("event"))
    }
}
