import ServiceKit

/// How long a read waits in Redis for something new. What comes ends the wait, but nothing else does: a partition that was
/// taken meanwhile, or has room again, is read after it. So waits are short where partitions change or are left out, and
/// grow while nothing comes, which keeps an idle process idle.
struct ReadPatience {
    static let shortest = Duration.milliseconds(100)
    static let longest = Duration.milliseconds(800)

    /// A read of all partitions that are held.
    private struct Whole: Equatable {
        let numbers: [Int32]
        let fences: [Int64]
    }

    private var last: Whole?
    private var duration = ReadPatience.shortest

    /// The wait of a read of these; `afterNothing` where the read before brought nothing.
    mutating func next(for reading: [RedisTenures.Reading], areAll: Bool, afterNothing: Bool) -> Duration {
        let whole = areAll ? Whole(numbers: reading.map(\.number), fences: reading.map(\.fence)) : nil
        duration = afterNothing && whole != nil && whole == last ? min(duration * 2, Self.longest) : Self.shortest
        last = whole
        return duration
    }
}
