import Glibc
import Synchronization

/// Loopback ports nobody listens on. The kernel picks them; a port is never given twice in one test run.
package enum FreePort {
    private static let given = Mutex<Set<UInt16>>([])

    package static func next() -> UInt16 {
        while true {
            let port = unusedPort()
            // Redis Cluster also listens ten thousand ports higher.
            guard port < 55_000 else { continue }
            if given.withLock({ $0.insert(port).inserted }) { return port }
        }
    }

    private static func unusedPort() -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        precondition(descriptor >= 0, "no socket could be opened")
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        precondition(bound, "no loopback port is free")
        return UInt16(bigEndian: address.sin_port)
    }
}
