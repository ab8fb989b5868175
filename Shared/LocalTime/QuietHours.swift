package import ServiceKit

/// The time of day without pushes; it may span midnight.
package struct QuietHours: Sendable, Equatable, CustomStringConvertible {
    package static let minutesOfDay = 0...24 * 60 - 1

    /// Minutes after midnight. The start is quiet, the end is not; no time is quiet if they are equal.
    package let start: Int
    package let end: Int
    /// IANA name; for devices without a time zone.
    package let timeZone: String

    package init(start: Int, end: Int, timeZone: String) {
        precondition(
            QuietHours.minutesOfDay.contains(start) && QuietHours.minutesOfDay.contains(end), "a day has 1,440 minutes")
        self.start = start
        self.end = end
        self.timeZone = timeZone
    }

    package var description: String {
        "\(QuietHours.text(start)) to \(QuietHours.text(end)), \(timeZone)"
    }

    private static func text(_ minutes: Int) -> String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// Nil if that moment is not quiet, else the first moment after it that is not.
    ///
    /// What a clock of the zone shows decides. When the clock skips the end, quiet hours are over with the skip; when
    /// it shows an hour twice, a time of that hour is quiet both times or not at all.
    package func release(at moment: Timestamp, in rules: TimeZoneRules) -> Timestamp? {
        let asked = moment.seconds
        var instant = asked
        while true {
            let period = rules.period(at: instant)
            let left = secondsLeft(at: instant + period.offset)
            guard left > 0 else { return instant == asked ? nil : Timestamp(seconds: instant) }
            instant = min(instant + left, period.end)
        }
    }

    /// Zero if the time is not quiet. In seconds that a clock shows.
    private func secondsLeft(at shown: Int64) -> Int64 {
        let untilEnd = (Int64(end) * 60 - shown).rest(dividedBy: 86_400)
        let length = (Int64(end - start) * 60).rest(dividedBy: 86_400)
        return untilEnd <= length ? untilEnd : 0
    }
}
