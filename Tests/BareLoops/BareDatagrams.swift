import Glibc
import ServiceKit

/// Receives datagrams and does nothing with them: the minimum cost of an event over UDP. Runs until standard input
/// ends.
enum BareDatagrams {
    private static let bufferBytes = 65_536

    static func run() -> String? {
        let receiver = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(receiver, $0, size) == 0 && getsockname(receiver, $0, &size) == 0
            }
        }
        guard isBound else { return "no port: \(String(cString: strerror(errno)))" }
        StandardOutputSink().write(line: #"{"server":"datagrams","port":"\#(UInt16(bigEndian: address.sin_port))"}"#)
        var buffer = [UInt8](repeating: 0, count: bufferBytes)
        var waiting = [receiver, STDIN_FILENO].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waiting, nfds_t(waiting.count), -1) >= 0 {
            while recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT)) >= 0 {}
            if waiting[1].revents != 0 { return nil }
        }
        return nil
    }
}
