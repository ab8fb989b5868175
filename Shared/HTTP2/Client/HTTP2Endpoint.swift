/// Whom a pool talks to.
package struct HTTP2Endpoint: Sendable, Equatable, CustomStringConvertible {
    package var host: String
    package var port: UInt16
    /// What the certificate must be for and what requests name as their authority, when it is not the host.
    package var serverName: String?

    package init(host: String, port: UInt16 = 443, serverName: String? = nil) {
        self.host = host
        self.port = port
        self.serverName = serverName
    }

    package var description: String { "\(host):\(port)" }

    /// The `:authority` of requests; the default port is not part of it.
    var authority: String {
        let name = serverName ?? host
        return port == 443 ? name : "\(name):\(port)"
    }
}
