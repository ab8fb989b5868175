/// Token buckets by name. A value without a clock: its owner locks it and passes the time.
///
/// A bucket is stored as the time at which it is full again, so a name costs one number. The names unused for longest
/// are evicted when there are too many; an evicted bucket is full.
struct RateBuckets<Name: Hashable & Sendable>: Sendable {
    struct Rate: Sendable, Equatable {
        let perSecond: Int
        /// Capacity of a full bucket.
        let burst: Int

        fileprivate var interval: Duration { .nanoseconds(1_000_000_000 / Int64(perSecond)) }
    }

    struct Level: Sendable, Equatable {
        /// Whole tokens.
        let tokens: Int
        /// Time until the bucket is full.
        let untilFull: Duration
    }

    private let namesMaximum: Int
    /// Two generations: when the younger one holds half of the names, the older one is discarded.
    private var younger: [Name: Duration] = [:]
    private var older: [Name: Duration] = [:]

    init(namesMaximum: Int) {
        self.namesMaximum = namesMaximum
    }

    var nameCount: Int { younger.count + older.count }

    /// Time until the bucket has a token; nil if it has one.
    func wait(for name: Name, _ rate: Rate, at now: Duration) -> Duration? {
        guard let full = younger[name] ?? older[name] else { return nil }
        let wait = full - now - rate.interval * (rate.burst - 1)
        return wait > .zero ? wait : nil
    }

    func level(of name: Name, rate: Rate, at now: Duration) -> Level {
        guard let full = younger[name] ?? older[name], full > now else {
            return Level(tokens: rate.burst, untilFull: .zero)
        }
        let missing = full - now
        // The smallest number of tokens that covers what is missing.
        var count = Int(missing / rate.interval)
        if rate.interval * count < missing { count += 1 }
        return Level(tokens: max(0, rate.burst - count), untilFull: missing)
    }

    /// Takes a token; an empty bucket goes into debt.
    mutating func charge(_ name: Name, rate: Rate, at now: Duration) {
        let full = max(younger[name] ?? older.removeValue(forKey: name) ?? now, now) + rate.interval
        if younger[name] == nil, younger.count >= max(1, namesMaximum / 2) {
            older = younger
            younger = [:]
        }
        younger[name] = full
    }

    /// Takes a token if there is one; otherwise returns the time until there is one.
    mutating func take(_ name: Name, rate: Rate, at now: Duration) -> Duration? {
        if let wait = wait(for: name, rate, at: now) { return wait }
        charge(name, rate: rate, at: now)
        return nil
    }
}
