/// Token buckets by name. A value that knows no clock: its owner locks it, and says what time it is.
///
/// What is kept of a bucket is the time at which it is full again, so that a name costs one number. Names that were not
/// seen for longest are forgotten when there are too many; a forgotten bucket is full.
struct RateBuckets<Name: Hashable & Sendable>: Sendable {
    struct Rate: Sendable, Equatable {
        let perSecond: Int
        /// Taken at once from a full bucket.
        let burst: Int

        fileprivate var interval: Duration { .nanoseconds(1_000_000_000 / Int64(perSecond)) }
    }

    private let namesMaximum: Int
    /// Two generations: when the younger one has half of the names, the older one is forgotten.
    private var younger: [Name: Duration] = [:]
    private var older: [Name: Duration] = [:]

    init(namesMaximum: Int) {
        self.namesMaximum = namesMaximum
    }

    var nameCount: Int { younger.count + older.count }

    /// How long until the bucket has a token; nil when it has one.
    func wait(for name: Name, _ rate: Rate, at now: Duration) -> Duration? {
        guard let full = younger[name] ?? older[name] else { return nil }
        let wait = full - now - rate.interval * (rate.burst - 1)
        return wait > .zero ? wait : nil
    }

    /// Takes a token; what is taken from an empty bucket is owed.
    mutating func charge(_ name: Name, rate: Rate, at now: Duration) {
        let full = max(younger[name] ?? older.removeValue(forKey: name) ?? now, now) + rate.interval
        if younger[name] == nil, younger.count >= max(1, namesMaximum / 2) {
            older = younger
            younger = [:]
        }
        younger[name] = full
    }

    /// Takes a token if there is one; answers how long until there is one otherwise.
    mutating func take(_ name: Name, rate: Rate, at now: Duration) -> Duration? {
        if let wait = wait(for: name, rate, at: now) { return wait }
        charge(name, rate: rate, at: now)
        return nil
    }
}
