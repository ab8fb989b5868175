import Apps
import HTTPServer
import PushModel

/// A route of a dialect: what is decided by a request's head, and the handler of the whole request.
struct DialectRoute: Sendable {
    /// How the app is selected.
    enum Handler: Sendable {
        /// By the path: below `/apps/:app`, or at the root for callers with one app.
        case appInPath(@Sendable (AuthorizedRequest) async throws -> HTTPResponse)
        /// By the body, or by what the request names: the handler selects one of the apps to which the caller has access,
        /// by its identifier in the dialect.
        case appInBody(TaskDialect, @Sendable (HTTPRequest, UnnamedCaller) async throws -> HTTPResponse)
        /// The same; a request without a key in its head may have it in its body.
        case appAndKeyInBody(TaskDialect, @Sendable (HTTPRequest, BodyKeyCaller) async throws -> HTTPResponse)
    }

    let method: HTTPMethod
    let pattern: String
    /// Any one of them suffices.
    let scopes: [Scope]
    /// The allowed query parameters; nil ignores unknown ones.
    var query: [String]?
    /// A query parameter that holds the key if the request has no `Authorization`.
    var keyParameter: String?
    /// True if keys that ship inside apps may be used; the handler restricts them to their own device.
    var allowsPublicKeys = false
    /// Nil for the server's limit.
    var bodyBytesMaximum: Int?
    let handler: Handler
}
