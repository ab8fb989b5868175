import COpenSSL
import Glibc

/// A listening socket, non-blocking. The descriptor closes with the last reference.
package final class TCPListener: Sendable {
    package let descriptor: Int32
    package let port: UInt16

    /// An IPv4 or IPv6 address; `::` accepts both kinds of clients. Port zero lets the kernel choose one.
    package init(address: String, port: UInt16) throws(TLSSocketError) {
        guard let name = ListenAddress(address, port: port) else {
            throw TLSSocketError(.misconfigured, message: "\(address) is not an IPv4 or IPv6 address to listen on")
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(name.family, kind, 0)
        guard descriptor >= 0 else { throw TCPListener.failure(address, port: port) }
        TCPListener.setOption(descriptor, level: SOL_SOCKET, option: SO_REUSEADDR, value: 1)
        if name.family == AF_INET6 {
            TCPListener.setOption(descriptor, level: Int32(IPPROTO_IPV6), option: IPV6_V6ONLY, value: 0)
        }
        guard let bound = name.listen(descriptor) else {
            let error = TCPListener.failure(address, port: port)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = bound
    }

    deinit {
        close(descriptor)
    }

    /// Nil if no client waits, or if the process has no descriptor left.
    package func accept(tls: TLSContext?) throws(TLSSocketError) -> TLSSocket? {
        let connection = carillon_accept(descriptor)
        return connection < 0 ? nil : try TLSSocket(accepted: connection, tls: tls)
    }

    private static func setOption(_ descriptor: Int32, level: Int32, option: Int32, value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func failure(_ address: String, port: UInt16) -> TLSSocketError {
        TLSSocketError(
            .unreachable, message: "cannot listen on \(address) port \(port): \(String(cString: strerror(errno)))")
    }
}

/// A listen address in the form of the kernel.
private struct ListenAddress {
    let family: Int32
    private var storage = sockaddr_storage()
    private var length: socklen_t

    /// Nil if the text is not an IPv4 or IPv6 address.
    init?(_ text: String, port: UInt16) {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if inet_pton(AF_INET, text, &four.sin_addr) == 1 {
            family = AF_INET
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, text, &six.sin6_addr) == 1 {
            family = AF_INET6
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
        } else {
            return nil
        }
    }

    /// The port in use; nil if the address is taken or does not belong to this machine.
    func listen(_ descriptor: Int32) -> UInt16? {
        var name = storage
        var nameLength = length
        let isListening = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, length) == 0 && Glibc.listen(descriptor, SOMAXCONN) == 0
                    && getsockname(descriptor, name, &nameLength) == 0
            }
        }
        guard isListening else { return nil }
        // Both address families store the port at the same offset.
        return withUnsafeBytes(of: name) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }
}
