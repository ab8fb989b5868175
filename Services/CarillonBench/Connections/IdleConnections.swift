import Glibc

/// Clients that connect, send one request and keep their connections open. The last reference closes them.
final class IdleConnections: Sendable {
    private let descriptors: [Int32]

    var count: Int { descriptors.count }

    private init(_ descriptors: [Int32]) {
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Blocks until all have a response, so that the server has accepted them.
    static func open(_ count: Int, port: UInt16) throws -> IdleConnections {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var descriptors: [Int32] = []
        for _ in 0..<count {
            let descriptor = LoopbackSocket.connect(port: port)
            if descriptor >= 0 { descriptors.append(descriptor) }
            guard descriptor >= 0, hasAnswer(descriptor) else {
                let reason = String(cString: strerror(errno))
                for descriptor in descriptors { close(descriptor) }
                throw BenchError("idle connection \(descriptors.count) could not be opened: \(reason)")
            }
        }
        return IdleConnections(descriptors)
    }

    private static func hasAnswer(_ descriptor: Int32) -> Bool {
        let request = Array("GET / HTTP/1.1\r\nHost: bench\r\n\r\n".utf8)
        var answer = [UInt8](repeating: 0, count: 4_096)
        return send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
            && recv(descriptor, &answer, answer.count, 0) > 0
    }
}
