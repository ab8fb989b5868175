import ServiceKit

/// An offset, or two that alternate at fixed times of each year: the footer of a file, which is a value of POSIX' `TZ`
/// with the extensions of RFC 9636.
struct PosixTimeZone: Sendable, Equatable {
    struct Daylight: Sendable, Equatable {
        let offset: Int64
        /// On the clock of standard time.
        let start: YearlyTime
        /// On the clock of daylight time.
        let end: YearlyTime
    }

    /// Seconds east of Greenwich.
    let standardOffset: Int64
    let daylight: Daylight?

    /// The time around `instant` without a change.
    func period(at instant: Int64) -> OffsetPeriod {
        guard let daylight else { return OffsetPeriod(offset: standardOffset, end: .max) }
        let year = CivilDate(daysSinceEpoch: instant.dividedDown(by: 86_400)).year
        var last = Int64.min
        var offset = standardOffset
        var next = Int64.max
        // A change may be up to nine days outside its year, so the last one may be of two years ago. Where one change
        // ends daylight time and another starts it, it goes on: so is daylight time all year written.
        for year in year - 2...year + 2 {
            let end = daylight.end.seconds(inYear: year) - daylight.offset
            if end <= instant, end > last { (last, offset) = (end, standardOffset) }
            if end > instant { next = min(next, end) }
            let start = daylight.start.seconds(inYear: year) - standardOffset
            if start <= instant, start >= last { (last, offset) = (start, daylight.offset) }
            if start > instant { next = min(next, start) }
        }
        return OffsetPeriod(offset: offset, end: next)
    }
}

/// A time of each year, on the clock that is valid before it.
struct YearlyTime: Sendable, Equatable {
    enum Day: Sendable, Equatable {
        /// `M10.5.0`: the weekday, from Sunday, of the first to fourth week of a month, or of its last.
        case weekday(Int64, week: Int64, month: Int64)
        /// `J60`: a day from 1 to 365; 29 February is not counted.
        case withoutLeapDay(Int64)
        /// `59`: a day from 0 to 365.
        case fromZero(Int64)
    }

    let day: Day
    /// Seconds after midnight: negative on the days before, and more than a day on those after.
    let time: Int64

    /// Seconds from 1970-01-01 on that clock.
    func seconds(inYear year: Int64) -> Int64 {
        days(inYear: year) * 86_400 + time
    }

    private func days(inYear year: Int64) -> Int64 {
        switch day {
        case .withoutLeapDay(let day):
            let isAfterLeapDay = day >= 60 && CivilDate.isLeapYear(year)
            return CivilDate.daysSinceEpoch(year, month: 1, day: day + (isAfterLeapDay ? 1 : 0))
        case .fromZero(let day):
            return CivilDate.daysSinceEpoch(year, month: 1, day: day + 1)
        case .weekday(let weekday, let week, let month):
            let first = CivilDate.daysSinceEpoch(year, month: month, day: 1)
            // 1970-01-01 was a Thursday.
            let ahead = (weekday - (first + 4)).rest(dividedBy: 7)
            let day = ahead + (week - 1) * 7
            return first + (day < CivilDate.dayCount(ofMonth: month, year: year) ? day : day - 7)
        }
    }
}
