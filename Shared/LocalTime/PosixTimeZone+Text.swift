import ServiceKit

/// The text form: `EET-2EEST,M3.5.0/3,M10.5.0/4`, `<+03>-3`. Its offsets count west of Greenwich.
extension PosixTimeZone {
    /// Nil for any other text, and for daylight time without the days on which it starts and ends.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        guard rest.popName(), let west = rest.popTime(hoursMaximum: 24) else { return nil }
        standardOffset = -west
        guard !rest.isEmpty else {
            daylight = nil
            return
        }
        guard rest.popName() else { return nil }
        let westOfDaylight = rest.first == UInt8(ascii: ",") ? west - 3_600 : rest.popTime(hoursMaximum: 24)
        guard let westOfDaylight, let start = rest.popYearlyTime(), let end = rest.popYearlyTime(), rest.isEmpty
        else { return nil }
        daylight = Daylight(offset: -westOfDaylight, start: start, end: end)
    }
}

extension ArraySlice<UInt8> {
    /// An abbreviation: at least three letters, or in brackets also digits and signs.
    fileprivate mutating func popName() -> Bool {
        let isInBrackets = popByte("<")
        let name = prefix {
            $0.isASCIILetter || isInBrackets && ($0.isASCIIDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-"))
        }
        guard name.count >= 3 else { return false }
        removeFirst(name.count)
        return !isInBrackets || popByte(">")
    }

    /// Seconds, written as `3`, `-2:30` or `+12:44:01`.
    fileprivate mutating func popTime(hoursMaximum: Int64) -> Int64? {
        let isNegative = popByte("-")
        if !isNegative { _ = popByte("+") }
        guard let hours = popNumber(digitsMaximum: 3), hours <= hoursMaximum else { return nil }
        var seconds = hours * 3_600
        for unit: Int64 in [60, 1] {
            guard popByte(":") else { break }
            guard let count = popNumber(digits: 2), count < 60 else { return nil }
            seconds += count * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// `,M3.5.0/3`: a day, and the time unless it is two o'clock.
    fileprivate mutating func popYearlyTime() -> YearlyTime? {
        guard popByte(","), let day = popDay() else { return nil }
        guard popByte("/") else { return YearlyTime(day: day, time: 2 * 3_600) }
        return popTime(hoursMaximum: 167).map { YearlyTime(day: day, time: $0) }
    }

    private mutating func popDay() -> YearlyTime.Day? {
        if popByte("M") {
            guard let month = popNumber(digitsMaximum: 2), popByte("."), let week = popNumber(digitsMaximum: 1),
                popByte("."), let weekday = popNumber(digitsMaximum: 1),
                1...12 ~= month, 1...5 ~= week, 0...6 ~= weekday
            else { return nil }
            return .weekday(weekday, week: week, month: month)
        }
        if popByte("J") { return popNumber(digitsMaximum: 3).flatMap { 1...365 ~= $0 ? .withoutLeapDay($0) : nil } }
        return popNumber(digitsMaximum: 3).flatMap { 0...365 ~= $0 ? .fromZero($0) : nil }
    }
}
