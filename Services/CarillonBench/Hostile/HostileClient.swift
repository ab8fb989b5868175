import Glibc

/// One connection whose calls time out after five seconds.
final class HostileClient {
    private let descriptor: Int32

    /// Nil if the connection fails.
    init?(port: UInt16) {
        descriptor = LoopbackSocket.connect(port: port, patience: .seconds(5))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// False if the server has closed the connection or does not read from it.
    func send(_ bytes: [UInt8]) -> Bool {
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

    func awaitAnswer() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = recv(descriptor, &bytes, bytes.count, 0)
    }
}
