import Apps
import HTTPServer
import PushModel

/// A request whose caller is authorized for one app.
struct AuthorizedRequest: Sendable {
    let request: HTTPRequest
    let caller: AuthorizedCaller
    /// Prefix of paths to this app if the request named it in the path; otherwise empty.
    let base: String

    var app: AppID { caller.app.id }
}
