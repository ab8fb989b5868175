import Glibc
package import ServiceKit

/// One numeric address and port of a host.
package struct SocketAddress: Sendable, Equatable {
    let family: Int32
    private let bytes: [UInt8]

    /// Resolves the host. Blocks, so call it on a dedicated thread. Numeric hosts do not reach the resolver.
    package static func resolve(host: String, port: UInt16) throws(TLSSocketError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            throw TLSSocketError(
                .unresolved, message: "\(host) has no address: \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let info = entry?.pointee {
            if let address = info.ai_addr {
                let bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
                addresses.append(SocketAddress(family: info.ai_family, bytes: bytes))
            }
            entry = info.ai_next
        }
        return addresses
    }

    /// Nil for a family other than IPv4 and IPv6.
    package var ipAddress: IPAddress? {
        bytes.withUnsafeBytes { IPAddress(socketAddress: $0) }
    }

    /// Calls connect(2); returns zero or the error number.
    func connect(_ descriptor: Int32) -> Int32 {
        let result = bytes.withUnsafeBytes { bytes -> Int32 in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return Glibc.connect(descriptor, address, socklen_t(bytes.count))
        }
        return result == 0 ? 0 : errno
    }
}
