package import ServiceKit

/// A request as passed to its handler: complete, validated, and independent of its connection.
package struct HTTPRequest: Sendable {
    package let method: HTTPMethod
    /// As received, without the query.
    package let path: String
    /// As received, without the question mark.
    package let query: String
    package let headers: HTTPHeaders
    package let body: HTTPRequestBody
    /// The client's IP address; behind a trusted proxy, the address that the proxy reports.
    package let peer: String
    private let parameters: [String: String]

    package init(
        method: HTTPMethod, path: String, query: String = "", headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPRequestBody = .empty, peer: String = "127.0.0.1", parameters: [String: String] = [:]
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.parameters = parameters
    }

    func with(body: HTTPRequestBody) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, query: query, headers: headers, body: body, peer: peer, parameters: parameters)
    }

    /// The decoded part of the path at the position of `:name` in the route's pattern.
    package func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("the route's pattern has no parameter :\(name)") }
        return value
    }

    /// The query's names and values, decoded; nil if any of them cannot be decoded.
    package var queryItems: [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0].utf8, plusIsSpace: true),
                let value = PercentEncoding.decode((parts.count > 1 ? parts[1] : "").utf8, plusIsSpace: true)
            else { return nil }
            items.append((name, value))
        }
        return items
    }

    /// The first value of this name in the query; nil for every name if the query cannot be decoded.
    package func queryValue(_ name: String) -> String? {
        queryItems?.first { $0.name == name }?.value
    }

    /// The caller's trace, from the `traceparent` header.
    package var traceContext: TraceContext? {
        headers["traceparent"].flatMap { TraceContext(header: $0) }
    }
}
