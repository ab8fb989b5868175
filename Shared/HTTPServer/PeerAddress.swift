import Glibc
import ServiceKit

/// The address at the other end of a socket.
enum PeerAddress {
    /// For an IPv4 client of an IPv6 socket, its IPv4 address. Nil if the client has already left.
    static func peer(of descriptor: Int32) -> IPAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
        }
        guard isKnown else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = bytes.load(as: sockaddr_in.self).sin_addr
                return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
            case AF_INET6:
                let address = bytes.load(as: sockaddr_in6.self).sin6_addr
                return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
            default: return nil
            }
        }
    }
}
