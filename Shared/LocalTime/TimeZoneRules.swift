package import ServiceKit

/// The offsets of one time zone from UTC, for all times: the transitions that its file lists, and after the last one
/// the rule of the file's footer.
package struct TimeZoneRules: Sendable, Equatable {
    /// From `instant` on the zone has this offset; both in seconds.
    struct Transition: Sendable, Equatable {
        let instant: Int64
        let offset: Int64
    }

    /// The limits of an offset in a file, exclusive: seconds east of Greenwich (RFC 9636, 3.2).
    static let offsetMinimum: Int64 = -25 * 3_600
    static let offsetMaximum: Int64 = 26 * 3_600

    package static let utc = TimeZoneRules(initialOffset: 0, transitions: [], footer: nil)

    /// Before the first transition.
    let initialOffset: Int64
    /// In ascending order.
    let transitions: [Transition]
    let footer: PosixTimeZone?

    package func offset(at moment: Timestamp) -> Duration {
        .seconds(period(at: moment.seconds).offset)
    }

    /// The minute that a clock shows at that moment.
    package func local(_ moment: Timestamp) -> LocalDateTime {
        LocalDateTime(minutesSinceEpoch: (moment + offset(at: moment)).milliseconds.dividedDown(by: 60_000))
    }

    /// The first moment at which a clock shows this minute or a later one. So a minute that the clock skips becomes the
    /// next one that exists, and of a minute that the clock shows twice the first counts.
    package func timestamp(of local: LocalDateTime) -> Timestamp {
        let shown = local.minutesSinceEpoch * 60
        // Earlier no clock can show it.
        var start = shown - TimeZoneRules.offsetMaximum
        while true {
            let period = period(at: start)
            let instant = max(start, shown - period.offset)
            if instant < period.end { return Timestamp(seconds: instant) }
            start = period.end
        }
    }

    /// The time around `instant` without a transition.
    func period(at instant: Int64) -> OffsetPeriod {
        let next = indexOfTransition(after: instant)
        if next < transitions.count {
            let offset = next == 0 ? initialOffset : transitions[next - 1].offset
            return OffsetPeriod(offset: offset, end: transitions[next].instant)
        }
        if let footer { return footer.period(at: instant) }
        return OffsetPeriod(offset: transitions.last?.offset ?? initialOffset, end: .max)
    }

    private func indexOfTransition(after instant: Int64) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].instant <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A time in which the offset does not change.
struct OffsetPeriod: Equatable {
    /// Seconds east of Greenwich.
    let offset: Int64
    /// The first second with another period; the last of the type if there is none.
    let end: Int64
}
