/// A whole request as a server's handler sees it.
package struct HTTP2ServerRequest: Sendable {
    package let method: String
    package let path: String
    package let headers: HTTP2Headers
    package let body: [UInt8]
    /// Which connection it came on, counted from one.
    package let connection: Int
    /// The common name on the client's certificate, if it has shown one.
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
