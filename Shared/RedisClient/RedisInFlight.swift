/// The bytes to write and the commands they belong to, in the order the answers will come.
struct RedisInFlight {
    private struct Entry {
        let pending: RedisPending
        /// Where the command ends in all that this connection ever writes.
        let end: Int
    }

    private var entries = RedisQueue<Entry>()
    private var buffer: [UInt8] = []
    /// How much of `buffer` is written.
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
            // A burst should not keep its memory for ever.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
            head = 0
        }
    }

    /// The command the next answer belongs to; nil when the server speaks unasked.
    mutating func popAnswered() -> RedisPending? {
        let entry = entries.popFirst()
        if entries.isEmpty { earliestDeadline = nil }
        return entry?.pending
    }

    /// Whether some command has waited too long. Looks at all of them only when that is possible.
    mutating func hasOverdue(now: Duration) -> Bool {
        guard let earliest = earliestDeadline, earliest <= now else { return false }
        earliestDeadline = entries.lazy.map(\.pending.deadline).min()
        return earliestDeadline.map { $0 <= now } ?? false
    }

    /// Everything, when the connection is over. A command that was not written to its last byte cannot have been
    /// executed: the server waits for the whole of it.
    mutating func takeAll() -> (sent: [RedisPending], unsent: [RedisPending]) {
        let all = entries.takeAll()
        let sent = all.prefix { $0.end <= bytesWritten }
        let result = (sent.map(\.pending), all[sent.count...].map(\.pending))
        self = RedisInFlight()
        return result
    }
}
