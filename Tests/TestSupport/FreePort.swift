import Glibc
import Synchronization

/// Free loopback ports, below the range from which the kernel takes ports of outgoing connections: such a port could be
/// taken again before the server under test binds it. No port is returned twice in one test run.
package enum FreePort {
    private static let given = Mutex<Set<UInt16>>([])

    package static func next() -> UInt16 {
        while true {
            // Redis Cluster also listens ten thousand ports higher.
            let port = UInt16.random(in: 11_000..<22_000)
            if given.withLock({ $0.insert(port).inserted }), isUnused(port), isUnused(port + 10_000) { return port }
        }
    }

    private static func isUnused(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        precondition(descriptor >= 0, "no socket could be opened")
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
