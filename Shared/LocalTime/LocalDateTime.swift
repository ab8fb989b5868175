package import ServiceKit

/// A civil date and minute without a time zone, such as `2026-12-24T09:00`: the same reading of the clock everywhere,
/// at a different instant in each zone.
package struct LocalDateTime: Sendable, Hashable, Comparable {
    /// Minutes from 1970-01-01T00:00 to it, as if its clock were never changed.
    let minutesSinceEpoch: Int64

    init(minutesSinceEpoch: Int64) {
        self.minutesSinceEpoch = minutesSinceEpoch
    }

    /// Such as `2026-12-24T09:00`, or the same with the seconds `:00`; nil for any other text and for dates that do not
    /// exist.
    package init?(_ text: String) {
        guard text.utf8.count <= "2026-12-24T09:00:00".utf8.count else { return nil }
        var rest = Array(text.utf8)[...]
        guard let year = rest.popNumber(digits: 4), rest.popByte("-"), let month = rest.popNumber(digits: 2),
            rest.popByte("-"), let day = rest.popNumber(digits: 2), rest.popByte("T"),
            let hour = rest.popNumber(digits: 2), rest.popByte(":"), let minute = rest.popNumber(digits: 2),
            rest.isEmpty || rest.elementsEqual(":00".utf8),
            let date = CivilDate(year, month: month, day: day), hour < 24, minute < 60
        else { return nil }
        minutesSinceEpoch = (date.daysSinceEpoch * 24 + hour) * 60 + minute
    }

    package static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        left.minutesSinceEpoch < right.minutesSinceEpoch
    }
}

// Every zone in use is from twelve hours behind UTC to fourteen hours ahead of it.
extension LocalDateTime {
    /// The instant at which this time comes in UTC+14, where it comes first.
    package var earliestInstant: Timestamp { Timestamp(seconds: (minutesSinceEpoch - 14 * 60) * 60) }

    /// The instant at which this time comes in UTC-12, where it comes last.
    package var latestInstant: Timestamp { Timestamp(seconds: (minutesSinceEpoch + 12 * 60) * 60) }
}

extension LocalDateTime: CustomStringConvertible {
    /// As it is read.
    package var description: String {
        // A time without an offset is printed like the same time in UTC: `2026-12-24T09:00:00.000Z`.
        String("\(Timestamp(seconds: minutesSinceEpoch * 60))".dropLast(":00.000Z".utf8.count))
    }
}

extension Timestamp {
    /// A number of seconds beyond the type's range becomes its first or last moment.
    init(seconds: Int64) {
        let (milliseconds, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000)
        self.init(milliseconds: isBeyond ? (seconds < 0 ? .min : .max) : milliseconds)
    }

    /// Rounded down.
    var seconds: Int64 { milliseconds.dividedDown(by: 1_000) }
}

extension Int64 {
    /// The quotient rounded down, also of a negative number.
    func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The rest of `dividedDown`: never negative.
    func rest(dividedBy divisor: Int64) -> Int64 {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
