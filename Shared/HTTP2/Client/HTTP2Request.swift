/// One request. What many requests have in common, their shared headers and often the body, they hold together: copying
/// either copies a reference.
package struct HTTP2Request: Sendable {
    package enum Method: Sendable {
        case get
        case post
        case delete

        var name: StaticString {
            switch self {
            case .get: "GET"
            case .post: "POST"
            case .delete: "DELETE"
            }
        }
    }

    package var method: Method
    package var path: String
    package var sharedHeaders: HTTP2Headers
    package var headers: HTTP2Headers
    package var body: [UInt8]
    /// How long the whole may take, waiting included; nil for the pool's own limit.
    package var limit: Duration?
    /// The number of a connection that is not to carry it, since the server behind that one failed it before.
    package var avoidedConnection: Int?

    package init(
        _ method: Method = .post, _ path: String, sharedHeaders: HTTP2Headers = HTTP2Headers(),
        headers: HTTP2Headers = HTTP2Headers(), body: [UInt8] = [], limit: Duration? = nil
    ) {
        self.method = method
        self.path = path
        self.sharedHeaders = sharedHeaders
        self.headers = headers
        self.body = body
        self.limit = limit
    }
}
