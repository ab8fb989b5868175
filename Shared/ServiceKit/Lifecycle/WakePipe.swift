import Glibc

/// Wakes a polling thread through a socket pair; the bytes have no meaning.
package final class WakePipe: Sendable {
    /// Poll this descriptor for reading.
    package let descriptor: Int32
    private let writeEnd: Int32

    package init() {
        var ends: [Int32] = [-1, -1]
        // Unlike pipe(2) it takes the flags directly, so that no process started meanwhile inherits the ends.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "cannot open a socket pair: too many open files")
        descriptor = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    package func wake() {
        var byte: UInt8 = 1
        // Fails only when the pair is full; the thread has then been woken already.
        _ = write(writeEnd, &byte, 1)
    }

    package func drain() {
        var bytes = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        _ = read(descriptor, &bytes, MemoryLayout.size(ofValue: bytes))
    }
}
