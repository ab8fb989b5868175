package import ServiceKit

/// What a clock shows for an hour, or for less if it is changed meanwhile.
package struct LocalHour: Sendable, Equatable {
    /// 0 to 23.
    package let number: Int
    /// The first moment of the next hour, or of a changed clock.
    package let ends: Timestamp
}

extension TimeZoneRules {
    /// The hour that a clock shows at that moment. One that it shows twice is two hours with one number.
    package func hour(at moment: Timestamp) -> LocalHour {
        let instant = moment.seconds
        let period = period(at: instant)
        let shown = instant + period.offset
        let left = 3_600 - shown.rest(dividedBy: 3_600)
        return LocalHour(
            number: Int(shown.rest(dividedBy: 86_400) / 3_600),
            ends: Timestamp(seconds: min(instant + left, period.end)))
    }
}
