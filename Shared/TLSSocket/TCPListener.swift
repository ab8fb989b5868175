import COpenSSL
import Glibc

/// A listening socket on IPv4, non-blocking. The descriptor closes with the last reference.
package final class TCPListener: Sendable {
    package let descriptor: Int32
    package let port: UInt16

    /// Port zero lets the kernel choose one.
    package init(address: String, port: UInt16) throws(TLSSocketError) {
        var host = in_addr()
        guard inet_pton(AF_INET, address, &host) == 1 else {
            throw TLSSocketError(.misconfigured, "\(address) is no IPv4 address to listen on")
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw TCPListener.failure(address, port) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr = host
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, length) == 0 && listen(descriptor, SOMAXCONN) == 0
                    && getsockname(descriptor, name, &length) == 0
            }
        }
        guard isListening else {
            let error = TCPListener.failure(address, port)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: name.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// Nil when nobody waits, or when the process has no descriptor left for whoever does.
    package func accept(tls: TLSContext?) throws(TLSSocketError) -> TLSSocket? {
        let connection = carillon_accept(descriptor)
        return connection < 0 ? nil : try TLSSocket(accepted: connection, tls: tls)
    }

    private static func failure(_ address: String, _ port: UInt16) -> TLSSocketError {
        TLSSocketError(.unreachable, "cannot listen on \(address):\(port): \(String(cString: strerror(errno)))")
    }
}
