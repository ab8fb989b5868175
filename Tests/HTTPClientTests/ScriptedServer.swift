import Glibc
import ServiceKit
import TestSupport
import Testing

/// A TCP server on loopback that performs the same given steps on every connection.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        /// Reads a request up to the empty line.
        case readHeader
        case send(String)
        case await(OneTimeEvent)
        /// Waits until the peer closes.
        case hold
        /// Resets the connection, so that the peer sees an error and not an EOF.
        case reset
    }

    private struct Seen {
        var connections = 0
        var requests: [String] = []
        var ended = 0
    }

    let port: UInt16
    private let listener: Int32
    private let seen: Monitor<Seen>

    init(_ steps: [Step]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        let seen = Monitor(Seen())
        self.seen = seen
        NativeThread(name: "scripted") {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                seen.change { $0.connections += 1 }
                NativeThread(name: "scripted-one") { ScriptedServer.play(steps, on: connection, seen: seen) }.detach()
            }
            close(listener)
        }.detach()
    }

    deinit {
        // Ends the accept above; the thread owns the descriptor.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var connections: Int { seen.withLock { $0.connections } }
    var requests: [String] { seen.withLock { $0.requests } }
    func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    func hasSeen(requests count: Int) async -> Bool {
        await blocking { [seen] in
            seen.wait(timeout: .hangLimit) { $0.requests.count >= count ? true : nil } ?? false
        }
    }

    /// Waits until this many connections have ended.
    func hasEnded(connections count: Int) async -> Bool {
        await blocking { [seen] in seen.wait(timeout: .hangLimit) { $0.ended >= count ? true : nil } ?? false }
    }

    private static func play(_ steps: [Step], on connection: Int32, seen: Monitor<Seen>) {
        for step in steps {
            switch step {
            case .readHeader:
                guard let header = readHeader(connection) else { break }
                seen.change { $0.requests.append(header) }
            case .send(let text):
                let bytes = Array(text.utf8)
                _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            case .await(let event): _ = event.block(atMost: .hangLimit)
            case .hold:
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
            case .reset:
                var now = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            }
        }
        close(connection)
        seen.change { $0.ended += 1 }
    }

    private static func readHeader(_ connection: Int32) -> String? {
        var header: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            header.append(byte)
            if header.suffix(4) == Array("\r\n\r\n".utf8)[...] { return String(decoding: header, as: UTF8.self) }
        }
        return nil
    }
}
