import Glibc

/// A TCP client on loopback that sends exactly the bytes it is told to. Its calls block, so a test makes them inside
/// `blocking`; each gives up after thirty seconds unless it may take longer.
package final class RawClient: Sendable {
    package struct Response: Sendable, Equatable {
        package let status: Int
        /// Names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let descriptor: Int32

    package init(port: UInt16, patience: Duration = .seconds(30)) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        precondition(descriptor >= 0, "no socket could be opened")
        var limit = timeval(tv_sec: Int(patience.components.seconds), tv_usec: 0)
        let limitSize = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, limitSize)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, limitSize)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        precondition(isConnected, "nobody listens on port \(port)")
    }

    deinit {
        close(descriptor)
    }

    /// False when the peer has closed.
    @discardableResult
    package func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Says that nothing more will be sent.
    package func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Nil when the peer has closed or been silent for too long.
    package func receive(_ countMaximum: Int = 64 << 10) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: countMaximum) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Whether the peer has closed the connection; waits until it does or sends something.
    package func isClosed() -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    /// Everything until the peer closes.
    package func receiveAll() -> String {
        var bytes: [UInt8] = []
        while let part = receive() { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads until the text has come, and returns all that was read; nil when the peer closes first.
    package func receive(through text: String) -> String? {
        let end = Array(text.utf8)
        var bytes: [UInt8] = []
        while let seen = peek() {
            // What follows the text is left for whoever reads next.
            let start = max(0, bytes.count + 1 - end.count)
            let found = (bytes + seen).index(of: end, from: start)
            let count = found.map { $0 + end.count - bytes.count } ?? seen.count
            guard let taken = receive(count) else { return nil }
            bytes += taken
            if found != nil, taken.count == count { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    private func peek() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_PEEK)))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// One response with a Content-Length, or none and no body.
    package func receiveResponse(isHead: Bool = false) -> Response? {
        guard let head = receive(through: "\r\n\r\n") else { return nil }
        var lines = head.split(separator: "\r\n").makeIterator()
        guard let words = lines.next()?.split(separator: " "), words.count >= 2, let status = Int(words[1]) else {
            return nil
        }
        var headers: [String: String] = [:]
        while let line = lines.next() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        var body: [UInt8] = []
        let length = isHead ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
        while body.count < length {
            guard let part = receive(length - body.count) else { return nil }
            body += part
        }
        return Response(status: status, headers: headers, body: body)
    }
}

extension [UInt8] {
    /// Where these bytes begin for the first time.
    fileprivate func index(of part: [UInt8], from start: Int) -> Int? {
        guard let first = part.first, count >= part.count else { return nil }
        var place = start
        while let next = self[place...].firstIndex(of: first), next + part.count <= count {
            if self[next...].starts(with: part) { return next }
            place = next + 1
        }
        return nil
    }
}
