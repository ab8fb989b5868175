import Glibc
import ServiceKit
import TestSupport
import Testing

/// Accepts connections one after another and answers input with the given texts, each as one write.
final class NonsenseServer: Sendable {
    let port: UInt16
    private let connectionsEnded: Monitor<Int>
    private let listener: Int32

    init(answers: [String]) throws {
        port = FreePort.next()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 8) == 0
            }
        }
        try #require(bound)
        self.listener = listener
        let ended = Monitor(0)
        connectionsEnded = ended
        NativeThread(name: "nonsense") {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                NonsenseServer.answer(connection, answers: answers)
                close(connection)
                ended.change { $0 += 1 }
            }
            close(listener)
        }.detach()
    }

    deinit {
        // Ends the accept above; the thread owns the descriptor.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    func connectionEnded() async -> Bool {
        await blocking { [connectionsEnded] in
            connectionsEnded.wait(timeout: .hangLimit) { $0 > 0 ? true : nil } ?? false
        }
    }

    private static func answer(_ connection: Int32, answers: [String]) {
        var answers = answers[...]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(connection, &buffer, buffer.count) > 0 {
            guard let answer = answers.popFirst() else { continue }
            let bytes = Array(answer.utf8)
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }
}
