import CMicroHTTPD
import Glibc

/// An address to listen on, as the kernel takes it.
struct SocketAddress {
    let isIPv6: Bool
    private var storage = sockaddr_storage()

    /// Nil when the text is no IPv4 or IPv6 address.
    init?(_ text: String, port: UInt16) {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if inet_pton(AF_INET, text, &four.sin_addr) == 1 {
            isIPv6 = false
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, text, &six.sin6_addr) == 1 {
            isIPv6 = true
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
        } else {
            return nil
        }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }

    /// The IP address as people write it; an IPv4 client of an IPv6 socket is shown as the IPv4 address it has.
    static func text(_ address: UnsafePointer<sockaddr>?) -> String {
        guard let address else { return "" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let family = Int32(address.pointee.sa_family)
            let raw = UnsafeRawPointer(address)
            let start =
                family == AF_INET
                ? raw + (MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 0)
                : raw + (MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 0)
            guard let base = text.baseAddress,
                inet_ntop(family, start, base, socklen_t(text.count)) != nil
            else { return "" }
            let written = String(cString: base)
            return written.hasPrefix("::ffff:") && written.contains(".") ? String(written.dropFirst(7)) : written
        }
    }
}
