import Glibc

/// A blocking connection that sends one request after another.
final class LoadConnection {
    private static let readBytesMaximum = 64 << 10
    private static let expected = [200, 201, 202, 204]

    private let descriptor: Int32
    private var answers = AnswerReader()
    private var buffer = [UInt8](repeating: 0, count: readBytesMaximum)

    init(port: UInt16) throws {
        descriptor = LoopbackSocket.connect(port: port, patience: .seconds(30))
        guard descriptor >= 0 else { throw BenchError("cannot connect: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    func post(_ request: [UInt8]) throws { _ = try answer(to: request) }

    /// Returns the body of the response.
    func exchange(_ request: [UInt8]) throws -> [UInt8] { try answer(to: request).body }

    private func answer(to request: [UInt8]) throws -> AnswerReader.Answer {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchError("the connection was closed")
        }
        while true {
            if let answer = try answers.next() {
                guard LoadConnection.expected.contains(answer.status) else { throw BenchError(answer.text) }
                return answer
            }
            try receive()
        }
    }

    private func receive() throws {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchError("no response") }
        answers.append(buffer[..<count])
    }
}
