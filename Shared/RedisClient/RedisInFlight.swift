import ServiceKit

/// The bytes to write and their commands, in reply order.
struct RedisInFlight {
    private struct Entry {
        let pending: RedisPending
        /// End of the command in the stream of all bytes that this connection writes.
        let end: Int
    }

    private var entries = Queue<Entry>()
    private var buffer: [UInt8] = []
    /// Number of bytes of `buffer` that are written.
    private var head = 0
    private var bytesWritten = 0
    private(set) var earliestDeadline: Duration?

    var isEmpty: Bool { entries.isEmpty }
    var hasUnwrittenBytes: Bool { head < buffer.count }

    mutating func append(_ pending: RedisPending) {
        buffer.append(contentsOf: pending.command.encoded)
        entries.append(Entry(pending: pending, end: bytesWritten + buffer.count - head))
        earliestDeadline = min(earliestDeadline ?? pending.deadline, pending.deadline)
    }

    func withUnwrittenBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    }

    mutating func wrote(_ count: Int) {
        head += count
        bytesWritten += count
        if head == buffer.count {
            // A burst should not keep its memory permanently.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
            head = 0
        }
    }

    /// The command of the next reply; nil if the server sent an unexpected one.
    mutating func popAnswered() -> RedisPending? {
        let entry = entries.popFirst()
        if entries.isEmpty { earliestDeadline = nil }
        return entry?.pending
    }

    /// True if some command is overdue. Checks all of them only if that is possible.
    mutating func checkOverdue(now: Duration) -> Bool {
        guard let earliest = earliestDeadline, earliest <= now else { return false }
        earliestDeadline = entries.lazy.map(\.pending.deadline).min()
        return earliestDeadline.map { $0 <= now } ?? false
    }

    /// Takes everything when the connection is closed. A command that was not written to its last byte cannot have been
    /// executed: the server waits for all of it.
    mutating func takeAll() -> (sent: [RedisPending], unsent: [RedisPending]) {
        let all = entries.takeAll()
        let sent = all.prefix { $0.end <= bytesWritten }
        let result = (sent.map(\.pending), all[sent.count...].map(\.pending))
        self = RedisInFlight()
        return result
    }
}
