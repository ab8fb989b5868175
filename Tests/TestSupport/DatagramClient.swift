import Glibc

/// Sends datagrams to a port on loopback, from an address of loopback.
package final class DatagramClient: Sendable {
    private let descriptor: Int32

    /// `source` is the address to send from, such as `127.0.0.2`.
    package init(port: UInt16, source: String = "127.0.0.1") {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        precondition(descriptor >= 0, "no socket could be opened")
        DatagramClient.call(bind, descriptor, address: source, port: 0)
        DatagramClient.call(connect, descriptor, address: "127.0.0.1", port: port)
    }

    deinit {
        close(descriptor)
    }

    package func send(_ bytes: [UInt8]) {
        // Without a receiver the next send fails once, and the datagram is lost, as on a network.
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    package func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// True if anything was sent back.
    package var hasAnswer: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) >= 0
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32, address: String,
        port: UInt16
    ) {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        precondition(inet_pton(AF_INET, address, &name.sin_addr) == 1, "\(address) is no address")
        let status = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(status == 0, "\(address) port \(port): \(String(cString: strerror(errno)))")
    }
}
