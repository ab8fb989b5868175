import Apps
import HTTPServer
import PushModel

/// A request that was let through to an app.
struct PushdCall: Sendable {
    let request: HTTPRequest
    let admission: Admission
    /// What paths to this app begin with, where the request chose it by its path.
    let base: String

    var app: AppID { admission.app.id }

    /// Nil for what cannot be an id: to clients it is an unknown subscriber like any other.
    var subscriber: DeviceID? { DeviceID(request.parameter("id")) }

    func fields() throws(PushdRefusal) -> RequestFields {
        do throws(BodyRefusal) {
            return try RequestFields(request)
        } catch {
            throw .body(error)
        }
    }

    func event() throws(PushdRefusal) -> TopicName {
        try PushdEvent.topic(request.parameter("event"))
    }
}
