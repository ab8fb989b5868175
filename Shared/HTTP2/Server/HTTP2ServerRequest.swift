/// A complete request, as passed to a server's handler.
package struct HTTP2ServerRequest: Sendable {
    package let method: String
    package let path: String
    package let headers: HTTP2Headers
    package let body: [UInt8]
    /// Number of its connection, counted from one.
    package let connection: Int
    /// The common name of the client's certificate, if it has sent one.
    package let clientName: String?

    package init(
        method: String, path: String, headers: HTTP2Headers, body: [UInt8] = [], connection: Int = 1,
        clientName: String? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.connection = connection
        self.clientName = clientName
    }
}
