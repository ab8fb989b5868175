import Glibc
import ServiceKit

/// A bound UDP socket, non-blocking. The descriptor closes with the last reference.
final class DatagramSocket: Sendable {
    /// For the time in which the receiving thread does not run; the kernel grants at most `net.core.rmem_max`.
    private static let bufferBytes: Int32 = 8 << 20

    let descriptor: Int32
    let port: UInt16

    /// An IPv4 or IPv6 address; `::` accepts both kinds of senders. Port zero lets the kernel choose one.
    init(address: String, port: UInt16) throws(DatagramError) {
        guard let ip = IPAddress(address) else {
            throw DatagramError("\(address) is not an IPv4 or IPv6 address to listen on")
        }
        let family = ip.bytes.count == 4 ? AF_INET : AF_INET6
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw DatagramSocket.failure(address, port: port) }
        DatagramSocket.setOption(descriptor, level: SOL_SOCKET, option: SO_RCVBUF, value: DatagramSocket.bufferBytes)
        if family == AF_INET6 {
            DatagramSocket.setOption(descriptor, level: Int32(IPPROTO_IPV6), option: IPV6_V6ONLY, value: 0)
        }
        guard let bound = DatagramSocket.bind(descriptor, to: ip, port: port) else {
            let error = DatagramSocket.failure(address, port: port)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = bound
    }

    deinit {
        close(descriptor)
    }

    /// The next waiting datagram, cut at the buffer's length; nil if none waits. The sender is nil if its address is of
    /// another family.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, sender: IPAddress?)? {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, name, &length)
            }
        }
        guard count >= 0 else { return nil }
        return (count, DatagramSocket.address(name))
    }

    /// Datagrams that the kernel has dropped because the socket's buffer was full.
    var droppedByKernel: Int {
        var values = [UInt32](repeating: 0, count: SocketMemory.valuesCount)
        var length = socklen_t(values.count * MemoryLayout<UInt32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SocketMemory.option, &values, &length) == 0,
            Int(length) / MemoryLayout<UInt32>.size > SocketMemory.dropsIndex
        else { return 0 }
        return Int(values[SocketMemory.dropsIndex])
    }

    /// The option SO_MEMINFO of Linux, which Swift's module of the C library omits.
    private enum SocketMemory {
        static let option: Int32 = 55
        static let valuesCount = 9
        static let dropsIndex = 8
    }

    private static func bind(_ descriptor: Int32, to ip: IPAddress, port: UInt16) -> UInt16? {
        var storage = sockaddr_storage()
        var length: socklen_t
        if ip.bytes.count == 4 {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: ip.bytes) }
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in.self) }
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
        } else {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: ip.bytes) }
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: name, as: sockaddr_in6.self) }
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        }
        let isBound = withUnsafeMutablePointer(to: &storage) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                Glibc.bind(descriptor, name, length) == 0 && getsockname(descriptor, name, &length) == 0
            }
        }
        guard isBound else { return nil }
        // Both address families store the port at the same offset.
        return withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }

    private static func address(_ name: sockaddr_storage) -> IPAddress? {
        withUnsafeBytes(of: name) { bytes in
            switch Int32(name.ss_family) {
            case AF_INET: IPAddress(bytes: Array(bytes[4..<8]))
            case AF_INET6: IPAddress(bytes: Array(bytes[8..<24]))
            default: nil
            }
        }
    }

    private static func setOption(_ descriptor: Int32, level: Int32, option: Int32, value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func failure(_ address: String, port: UInt16) -> DatagramError {
        DatagramError("cannot listen on \(address) UDP port \(port): \(String(cString: strerror(errno)))")
    }
}

/// Reason why a socket for datagrams could not be opened.
package struct DatagramError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
