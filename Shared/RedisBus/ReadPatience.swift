import ServiceKit

/// How long a read blocks in Redis for new entries. A new entry ends the wait, but nothing else does: a partition that
/// was acquired meanwhile, or has room again, is read after it. So waits are short while partitions change or are left
/// out, and grow while nothing arrives, which keeps an idle process idle.
struct ReadPatience {
    static let shortest = Duration.milliseconds(100)
    static let longest = Duration.milliseconds(800)

    /// The last read; empty if it left partitions out.
    private var last: [RedisTenures.Reading] = []
    private var duration = ReadPatience.shortest

    /// How long a read of these partitions waits. They equal the last read, positions included, if nothing has arrived.
    mutating func next(for reading: [RedisTenures.Reading], areAll: Bool) -> Duration {
        duration = areAll && reading == last ? min(duration * 2, Self.longest) : Self.shortest
        last = areAll ? reading : []
        return duration
    }
}
