import Glibc

/// An IPv4 or IPv6 address in network order: four or sixteen bytes.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    let bytes: [UInt8]

    /// Nil for any text but the plain numeric forms; names and short spellings are the resolver's to turn into one.
    package init?(_ text: String) {
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    /// Reads the socket address that the bytes begin with; nil for another family or too few bytes.
    init?(socketAddress: UnsafeRawBufferPointer) {
        guard socketAddress.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(socketAddress.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where socketAddress.count >= MemoryLayout<sockaddr_in>.size:
            let address = socketAddress.loadUnaligned(as: sockaddr_in.self)
            bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
        case AF_INET6 where socketAddress.count >= MemoryLayout<sockaddr_in6>.size:
            let address = socketAddress.loadUnaligned(as: sockaddr_in6.self)
            bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
        default:
            return nil
        }
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The IPv4 address that is really spoken to, when this is one in the clothes of IPv6: mapped (`::ffff:0:0/96`) or
    /// translated on the way (NAT64, `64:ff9b::/96`).
    var carriedIPv4: IPAddress? {
        guard bytes.count == 16 else { return nil }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let translated = [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)
        guard bytes.starts(with: mapped) || bytes.starts(with: translated) else { return nil }
        return IPAddress(bytes[12...])
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
