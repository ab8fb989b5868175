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

    func post(_ request: [UInt8]) throws {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchError("the connection was closed")
        }
        var end = 0
        while true {
            if let whole = answerEnd(), received.count >= whole {
                end = whole
                break
            }
            try receive()
        }
        let status = String(decoding: received.prefix(12), as: UTF8.self)
        guard ["HTTP/1.1 200", "HTTP/1.1 201", "HTTP/1.1 202", "HTTP/1.1 204"].contains(status) else {
            throw BenchError(String(decoding: received.prefix(end), as: UTF8.self))
        }
        received.removeFirst(end)
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchError("no response") }
        received.append(contentsOf: buffer[..<count])
    }

    /// End of the response, once its header has been received.
    private func answerEnd() -> Int? {
        let text = String(decoding: received, as: UTF8.self)
        guard let blank = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = text[..<blank.lowerBound].lowercased()
        let length = head.firstRange(of: "content-length: ").flatMap { found in
            Int(head[found.upperBound...].prefix { $0.isNumber })
        }
        return text[..<blank.upperBound].utf8.count + (length ?? 0)
    }
}
