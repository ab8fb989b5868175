import Glibc

/// A TCP client on loopback that sends exactly the given bytes. Its calls block, so a test makes them inside
/// `blocking`; each times out after `hangLimit` unless it may take longer.
package final class RawClient: Sendable {
    package struct Response: Sendable, Equatable {
        package let status: Int
        /// Names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let descriptor: Int32
    private let isConnected: Bool

    package convenience init(port: UInt16, patience: Duration = .hangLimit) {
        self.init(connectingTo: port, patience: patience)
        precondition(isConnected, "no server listens on port \(port)")
    }

    /// Nil if no server listens on the port.
    package convenience init?(ifListening port: UInt16, patience: Duration = .hangLimit) {
        self.init(connectingTo: port, patience: patience)
        guard isConnected else { return nil }
    }

    private init(connectingTo port: UInt16, patience: Duration) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        precondition(descriptor >= 0, "no socket could be opened")
        var limit = timeval(tv_sec: Int(patience.components.seconds), tv_usec: 0)
        let limitSize = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, limitSize)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, limitSize)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        self.descriptor = descriptor
        isConnected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit {
        close(descriptor)
    }

    /// Returns false when the peer has closed the connection.
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

    /// Closes the sending side of the connection.
    package func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Returns nil when the peer has closed the connection or the receive timeout has passed.
    package func receive(_ countMaximum: Int = 64 << 10) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: countMaximum) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Waits until the peer closes the connection or sends something; true if it closed.
    package func isClosed() -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    /// Reads until the peer closes the connection.
    package func receiveAll() -> String {
        var bytes: [UInt8] = []
        while let part = receive() { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads until the text arrives and returns everything read; nil when the peer closes the connection first.
    package func receive(through text: String) -> String? {
        let end = Array(text.utf8)
        var bytes: [UInt8] = []
        while let seen = peek() {
            // Bytes after the text stay in the buffer for the next read.
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

    /// Reads one response, with or without a Content-Length; without one the body is empty.
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
    /// Returns the position of the first occurrence of these bytes.
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
