import Glibc

/// Reserves a port for a program that does not listen yet against every other `carillon up` on this machine. It is an
/// abstract socket name, which the kernel releases with its holder.
final class PortReservation: Sendable {
    private let descriptor: Int32

    /// Nil if the port is already reserved.
    init?(_ port: UInt16) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with a zero byte is not a file.
        let name = [0] + Array("carillon-up-\(port)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }
}
