package import ServiceKit
package import TLSSocket

/// Where Redis is and how to talk to it.
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

    /// One server, or for a cluster the nodes to ask first.
    package var addresses: [Address]
    package var isCluster = false
    /// The ACL user; without one the password is the `default` user's.
    package var user: String?
    package var password: Secret?
    package var database = 0
    /// Nil for a plain connection.
    package var tls: TLSConfiguration?
    /// What an address with TLS uses that shares these settings.
    package var tlsFiles = TLSConfiguration()
    /// How many connections to keep to each server. Commands sent one by one spread over them, so only those of one
    /// pipeline are executed in order; a client with one connection keeps order throughout.
    package var connections = 2
    package var commandDeadline: Duration = .seconds(5)
    /// From the start of a connection until the server has taken password and database.
    package var connectDeadline: Duration = .seconds(2)
    /// The wait between attempts to connect.
    package var reconnectBackoff = Backoff(first: .milliseconds(50), longest: .seconds(5))
    /// What one connection holds at most: commands that wait and commands without an answer yet.
    package var outstandingBytesMaximum = 64 * 1024 * 1024
    /// Maximum size of a reply; a larger one closes the connection.
    package var replyBytesMaximum = 64 * 1024 * 1024
    /// What services ask of it before they are ready; the embedded bus asks for `always` whatever stands here.
    package var durability = RedisDurability.always

    package init(host: String = "127.0.0.1", port: UInt16 = 6379) {
        addresses = [Address(host: host, port: port)]
    }
}
