import Glibc

/// A blocking connection that parses just enough HTTP to find the end of a response.
final class LoadConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw BenchError("cannot connect: \(String(cString: strerror(errno)))") }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
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
        guard ["HTTP/1.1 200", "HTTP/1.1 201", "HTTP/1.1 204"].contains(status) else {
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
