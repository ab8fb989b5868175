import ServiceKit

/// How long a read waits in Redis for something new. What comes ends the wait, but nothing else does: a partition that was
/// taken meanwhile, or has room again, is read after it. So waits are short where partitions change or are left out, and
/// grow while nothing comes, which keeps an idle process idle.
struct ReadPatience {
    static let shortest = Duration.milliseconds(100)
    static let longest = Duration.milliseconds(800)

    /// The last read; nothing where that left partitions out.
    private var last: [RedisTenures.Reading] = []
    private var duration = ReadPatience.shortest

    /// The wait of a read of these. They are the same as last time, positions included, where nothing has come.
    mutating func next(for reading: [RedisTenures.Reading], areAll: Bool) -> Duration {
        duration = areAll && reading == last ? min(duration * 2, Self.longest) : Self.shortest
        last = areAll ? reading : []
        return duration
    }
}
