import Glibc
import ServiceKit
import TLSSocket
import TestSupport

/// A server with TLS and HTTP/1.1 alone: reads each request, and answers with the given bytes, or without end.
final class SecureServer: Sendable {
    enum Answer: Sendable {
        case text(String)
        /// The text, and then its last part again and again.
        case endless(String, part: String)
        /// One byte of it each 20 milliseconds.
        case slow(String)
    }

    private struct Seen {
        var requests: [String] = []
        var connections = 0
    }

    let port: UInt16
    private let listener: TCPListener
    private let seen = Monitor(Seen())
    private let isOver = Monitor(false)

    /// Ends the handshake of a client that offers other protocols only.
    init(_ authority: TestAuthority, answer: Answer) throws {
        var configuration = TLSServerConfiguration(
            certificateFile: authority.certificateFile, privateKeyFile: authority.keyFile)
        configuration.applicationProtocols = ["http/1.1"]
        let tls = try TLSContext(configuration)
        listener = try TCPListener(address: "127.0.0.1", port: 0)
        port = listener.port
        NativeThread(name: "secure") { [listener, seen, isOver] in
            while SecureServer.wait(listener.descriptor, for: POLLIN, isOver: isOver) {
                guard let socket = try? listener.accept(tls: tls) else { continue }
                seen.change { $0.connections += 1 }
                let connection = Connection(socket, seen: seen, isOver: isOver)
                NativeThread(name: "secure-one") { connection.serve(answer) }.detach()
            }
        }.detach()
    }

    deinit {
        isOver.change { $0 = true }
    }

    var origin: String { "https://localhost:\(port)" }
    var requests: [String] { seen.withLock { $0.requests } }
    var connections: Int { seen.withLock { $0.connections } }

    /// False once the server is over.
    private static func wait(_ descriptor: Int32, for events: Int32, isOver: Monitor<Bool>) -> Bool {
        while !isOver.withLock({ $0 }) {
            var event = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            if poll(&event, 1, 50) > 0 { return true }
        }
        return false
    }

    /// Confined to its thread.
    private final class Connection: @unchecked Sendable {
        private let socket: TLSSocket
        private let seen: Monitor<Seen>
        private let isOver: Monitor<Bool>

        init(_ socket: TLSSocket, seen: Monitor<Seen>, isOver: Monitor<Bool>) {
            self.socket = socket
            self.seen = seen
            self.isOver = isOver
        }

        func serve(_ answer: Answer) {
            guard shakeHands() else { return }
            while let header = readRequest() {
                seen.change { $0.requests.append(header) }
                guard send(answer) else { return }
            }
        }

        private func send(_ answer: Answer) -> Bool {
            switch answer {
            case .text(let text): return write(Array(text.utf8))
            case .endless(let text, let part):
                guard write(Array(text.utf8)) else { return false }
                while write(Array(part.utf8)) {}
                return false
            case .slow(let text):
                return text.utf8.allSatisfy { byte in
                    usleep(20_000)
                    return write([byte])
                }
            }
        }

        private func shakeHands() -> Bool {
            while let progress = try? socket.advance() {
                switch progress {
                case .done: return true
                case .wantRead: guard isReady(POLLIN) else { return false }
                case .wantWrite: guard isReady(POLLOUT) else { return false }
                }
            }
            return false
        }

        /// The header; nil at the end of the connection.
        private func readRequest() -> String? {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 8_192)
            while true {
                if let request = SecureServer.header(in: bytes) { return request }
                let transfer = buffer.withUnsafeMutableBytes { try? socket.read(into: $0) }
                switch transfer {
                case .bytes(let count): bytes += buffer.prefix(count)
                case .wantRead: guard isReady(POLLIN) else { return nil }
                case .wantWrite: guard isReady(POLLOUT) else { return nil }
                case .end, nil: return nil
                }
            }
        }

        private func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                switch rest.withUnsafeBytes({ try? socket.write($0) }) {
                case .bytes(let count): rest = rest.dropFirst(count)
                case .wantRead: guard isReady(POLLIN) else { return false }
                case .wantWrite: guard isReady(POLLOUT) else { return false }
                case .end, nil: return false
                }
            }
            return true
        }

        private func isReady(_ events: Int32) -> Bool {
            SecureServer.wait(socket.descriptor, for: events, isOver: isOver)
        }
    }

    /// The header once the body after it is complete too.
    private static func header(in bytes: [UInt8]) -> String? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let header = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let length = header.split(separator: "\r\n").compactMap { line -> Int? in
            let parts = line.split(separator: ": ")
            return parts.count == 2 && parts[0].lowercased() == "content-length" ? Int(parts[1]) : nil
        }
        return bytes.count - end.upperBound >= (length.first ?? 0) ? header : nil
    }
}
