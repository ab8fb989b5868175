/// One request. Requests share their common headers and often the body: copying either copies a reference.
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
    /// Time limit of the whole request, waiting included; nil for the pool's limit.
    package var limit: Duration?
    /// Number of a connection that must not carry it, since the server behind it failed the request before.
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
