import Glibc
import Synchronization

/// Free loopback ports, below the range from which the kernel takes ports of outgoing connections: such a port could be
/// taken again before the server under test binds it. No port is returned twice in one test run, nor in two that run at
/// once: a server that is killed and started again finds its port free. Each run takes its ports from blocks that it has
/// locked.
package enum FreePort {
    private static let blockSize: UInt16 = 500
    /// Of the blocks that are locked.
    private static let left = Mutex<[UInt16]>([])

    package static func next() -> UInt16 {
        left.withLock { left in
            while true {
                if left.isEmpty { left = lockBlock() }
                let port = left.removeLast()
                if isUnused(port), isUnused(port + 10_000) { return port }
            }
        }
    }

    /// The lock is released when the process ends.
    private static func lockBlock() -> [UInt16] {
        // Redis Cluster also listens ten thousand ports higher.
        for first in stride(from: UInt16(11_000), to: 21_000, by: Int(blockSize)).shuffled() {
            let file = open("/tmp/carillon-test-ports-\(getuid())-\(first)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { continue }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { return (first..<first + blockSize).shuffled() }
            close(file)
        }
        preconditionFailure("all ports for tests are taken")
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
