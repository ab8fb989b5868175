/// A moment on the wall clock, in milliseconds since 1970-01-01 UTC.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: moment.milliseconds + duration.wholeMilliseconds)
    }

    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, as logs and public messages print it.
    package var description: String {
        let day = Int64(86_400_000)
        // Rounded down without leaving the range: a time from outside may be as far away as the type allows.
        let (wholeDays, rest) = milliseconds.quotientAndRemainder(dividingBy: day)
        let date = CivilDate(daysSinceEpoch: rest < 0 ? wholeDays - 1 : wholeDays)
        let inDay = rest < 0 ? rest + day : rest
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value.magnitude)
            return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(inDay / 3_600_000, 2)):\(padded(inDay / 60_000 % 60, 2)):\(padded(inDay / 1_000 % 60, 2))"
            + ".\(padded(inDay % 1_000, 3))Z"
    }
}

/// The proleptic Gregorian date of a day count, so that printing a time needs no Foundation.
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    /// The year is counted from March, so that the leap day is the last of its year and needs no special case.
    init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
