package import ServiceKit

/// Times since one, and before another.
package struct TimeRange: Hashable, Sendable {
    package enum Start: Hashable, Sendable {
        case time(Timestamp)
        /// So long before the moment at which the filter is evaluated.
        case ago(Duration)
    }

    package static let durations = Duration.seconds(60) ... .seconds(3_650 * 86_400)

    package let since: Start?
    package let before: Timestamp?

    package init(since: Start?, before: Timestamp?) throws(InvalidValueError) {
        guard since != nil || before != nil else { throw InvalidValueError("expected within, since or before") }
        if case .time(let start)? = since, let before, start >= before {
            throw InvalidValueError("expected since to be earlier than before")
        }
        self.since = since
        self.before = before
    }

    func contains(seconds: UInt32, at moment: Timestamp) -> Bool {
        let time = Timestamp(milliseconds: Int64(seconds) * 1_000)
        let start: Timestamp? =
            switch since {
            case .time(let start): start
            case .ago(let age): moment + (.zero - age)
            case nil: nil
            }
        return (start.map { time >= $0 } ?? true) && (before.map { time < $0 } ?? true)
    }
}
