import Glibc
import ServiceKit
import Synchronization

/// A program's log file. When it is full, it is renamed to `FILE.1`, replacing an older one, and a new one is opened.
final class BoundedLog: Sendable {
    private struct State {
        var descriptor: Int32 = -1
        var size = 0
    }

    let path: String
    private let bytesMaximum: Int
    private let state = Mutex(State())

    init(_ path: String, bytesMaximum: Int = 10 << 20) {
        self.path = path
        self.bytesMaximum = bytesMaximum
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// A full disk must not stop the program: the line is dropped.
    func write(line: String) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        state.withLock { state in
            if state.descriptor < 0 { reopen(&state) }
            if state.size > 0, state.size + bytes.count > bytesMaximum {
                rename(path, path + ".1")
                reopen(&state)
            }
            if WholeWrite.write(bytes, to: state.descriptor) { state.size += bytes.count }
        }
    }

    private func reopen(_ state: inout State) {
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        var status = stat()
        state.size = fstat(state.descriptor, &status) == 0 ? Int(status.st_size) : 0
    }
}

extension BoundedLog: LogSink {}
