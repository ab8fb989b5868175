/// A date of the proleptic Gregorian calendar and its day count since 1970-01-01; dates thus need no Foundation.
package struct CivilDate: Sendable, Equatable {
    package let year: Int64
    package let month: Int64
    package let day: Int64

    /// Nil for a date that does not exist.
    package init?(_ year: Int64, month: Int64, day: Int64) {
        guard 1...12 ~= month, 1...CivilDate.dayCount(ofMonth: month, year: year) ~= day else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The year is counted from March, so that the leap day is the last of its year and needs no special case.
    package init(daysSinceEpoch: Int64) {
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

    package var daysSinceEpoch: Int64 { CivilDate.daysSinceEpoch(year, month: month, day: day) }

    /// For a month from 1 to 12. A day beyond the month's last counts on into the next month.
    package static func daysSinceEpoch(_ year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func dayCount(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: isLeapYear(year) ? 29 : 28
        default: 31
        }
    }

    package static func isLeapYear(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}
