/// The peer of a pool.
package struct HTTP2Endpoint: Sendable, Equatable, CustomStringConvertible {
    package var host: String
    package var port: UInt16
    /// The name verified in the certificate and sent as the requests' authority, if it differs from the host.
    package var serverName: String?

    package init(host: String, port: UInt16 = 443, serverName: String? = nil) {
        self.host = host
        self.port = port
        self.serverName = serverName
    }

    package var description: String { "\(host):\(port)" }

    /// The `:authority` of requests; the default port is omitted.
    var authority: String {
        let name = serverName ?? host
        return port == 443 ? name : "\(name):\(port)"
    }
}
