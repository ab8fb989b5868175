import Glibc
import ServiceKit

extension IPAddress {
    /// Reads the socket address at the start of the bytes; nil for another family or too few bytes.
    init?(socketAddress: UnsafeRawBufferPointer) {
        guard socketAddress.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(socketAddress.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where socketAddress.count >= MemoryLayout<sockaddr_in>.size:
            let address = socketAddress.loadUnaligned(as: sockaddr_in.self)
            self.init(bytes: withUnsafeBytes(of: address.sin_addr) { Array($0) })
        case AF_INET6 where socketAddress.count >= MemoryLayout<sockaddr_in6>.size:
            let address = socketAddress.loadUnaligned(as: sockaddr_in6.self)
            self.init(bytes: withUnsafeBytes(of: address.sin6_addr) { Array($0) })
        default: return nil
        }
    }

    /// The actual IPv4 destination if this address is translated on the way (NAT64, `64:ff9b::/96`).
    var translatedIPv4: IPAddress? {
        let prefix = [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)
        return bytes.count == 16 && bytes.starts(with: prefix) ? IPAddress(bytes: Array(bytes[12...])) : nil
    }
}
