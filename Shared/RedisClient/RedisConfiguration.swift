package import ServiceKit
package import TLSSocket

/// Addresses of Redis and connection settings.
package struct RedisConfiguration: Sendable {
    package struct Address: Sendable, Hashable, CustomStringConvertible {
        package var host: String
        package var port: UInt16

        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// One server, or the seed nodes of a cluster.
    package var addresses: [Address]
    package var isCluster = false
    /// The ACL user; if nil, the password is that of the `default` user.
    package var user: String?
    package var password: Secret?
    package var database = 0
    /// Nil for a plain connection.
    package var tls: TLSConfiguration?
    /// TLS settings for another TLS address that shares these settings.
    package var tlsFiles = TLSConfiguration()
    /// Connections to each server. Single commands are spread over them, so only those of one pipeline are executed in
    /// order; a client with one connection keeps order throughout.
    package var connections = 2
    package var commandDeadline: Duration = .seconds(5)
    /// From the start of a connection until the server has accepted password and database.
    package var connectDeadline: Duration = .seconds(2)
    /// Backoff between connection attempts.
    package var reconnectBackoff = Backoff(first: .milliseconds(50), longest: .seconds(5))
    /// Maximum size of one connection's queued and unanswered commands.
    package var outstandingBytesMaximum = 64 * 1024 * 1024
    /// Maximum size of a reply; a larger one closes the connection.
    package var replyBytesMaximum = 64 * 1024 * 1024
    /// Durability needed to be ready; the embedded bus requires `always` regardless.
    package var durability = RedisDurability.always

    package init(host: String = "127.0.0.1", port: UInt16 = 6379) {
        addresses = [Address(host: host, port: port)]
    }
}
