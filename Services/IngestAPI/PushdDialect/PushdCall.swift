import Apps
import HTTPServer
import PushModel

/// A request that was let through to an app.
struct PushdCall: Sendable {
    let request: HTTPRequest
    let admission: AuthorizedCaller
    /// What paths to this app begin with, where the request chose it by its path.
    let base: String
    let limits: RequestLimits
    let reading: BodyReading

    var app: AppID { admission.app.id }

    /// Nil for what cannot be an id: to clients it is an unknown subscriber like any other. Throws for a caller that has
    /// asked for too many unknown ones, also when this one is known.
    var subscriber: DeviceID? {
        get throws(Gatekeeper.AccessError) {
            guard let id = DeviceID(request.parameter("id")) else { return nil }
            try limits.admitSearch(in: app, from: request.peer)
            return id
        }
    }

    func fields() async throws -> RequestFields {
        try await reading.read(request, account: admission.account) { [request] in
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
