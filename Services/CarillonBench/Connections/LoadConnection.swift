import Glibc

/// A blocking connection that parses just enough HTTP to find the end of a response.
final class LoadConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = LoopbackSocket.connect(port: port, patience: .seconds(30))
        guard descriptor >= 0 else { throw BenchError("cannot connect: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    func post(_ request: [UInt8]) throws { _ = try exchange(request) }

    /// Returns the body of the response.
    func exchange(_ request: [UInt8]) throws -> [UInt8] {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchError("the connection was closed")
        }
        var (bodyStart, end) = (0, 0)
        while true {
            if let answer = answer(), received.count >= answer.end {
                (bodyStart, end) = answer
                break
            }
            try receive()
        }
        let status = String(decoding: received.prefix(12), as: UTF8.self)
        guard ["HTTP/1.1 200", "HTTP/1.1 201", "HTTP/1.1 202", "HTTP/1.1 204"].contains(status) else {
            throw BenchError(String(decoding: received.prefix(end), as: UTF8.self))
        }
        let body = Array(received[bodyStart..<end])
        received.removeFirst(end)
        return body
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchError("no response") }
        received.append(contentsOf: buffer[..<count])
    }

    /// Places in the response, once its header has been received.
    private func answer() -> (bodyStart: Int, end: Int)? {
        let text = String(decoding: received, as: UTF8.self)
        guard let blank = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = text[..<blank.lowerBound].lowercased()
        let length = head.firstRange(of: "content-length: ").flatMap { found in
            Int(head[found.upperBound...].prefix { $0.isNumber })
        }
        let bodyStart = text[..<blank.upperBound].utf8.count
        return (bodyStart, bodyStart + (length ?? 0))
    }
}
