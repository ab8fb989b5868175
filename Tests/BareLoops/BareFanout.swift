import Glibc
import ServiceKit

/// Writes the same bytes to every connection in one loop: the minimum cost of an event for many listeners. The first
/// connection is for commands; each byte that it sends is one event. Runs until standard input ends.
enum BareFanout {
    private static let event = Array("data: \(String(repeating: "x", count: 200))\n\n".utf8)
    private static let opening = Array("HTTP/1.1 200 OK\r\n\r\n\n".utf8)

    static func run() -> String? {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 4_096) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { return "no port: \(String(cString: strerror(errno)))" }
        StandardOutputSink().write(line: #"{"server":"fanout","port":"\#(UInt16(bigEndian: address.sin_port))"}"#)
        serve(listener)
        return nil
    }

    private static func serve(_ listener: Int32) {
        let control = accept(listener, nil, nil)
        var clients: [Int32] = []
        var waiting = [listener, control, STDIN_FILENO].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waiting, nfds_t(waiting.count), -1) >= 0 {
            var byte: UInt8 = 0
            if waiting[0].revents != 0 {
                let client = accept(listener, nil, nil)
                _ = write(client, opening, opening.count)
                clients.append(client)
            }
            if waiting[1].revents != 0 {
                guard read(control, &byte, 1) == 1 else { return }
                for client in clients { _ = write(client, event, event.count) }
            }
            if waiting[2].revents != 0 { return }
        }
    }
}
