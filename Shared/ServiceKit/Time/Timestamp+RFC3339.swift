extension Timestamp {
    /// `2026-01-31T12:00:00Z`, optionally with a fraction of a second and an offset; nil for any other text.
    package init?(rfc3339 text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = rest.popNumber(digits: 4), rest.popByte("-"), let month = rest.popNumber(digits: 2),
            rest.popByte("-"), let day = rest.popNumber(digits: 2), rest.popByte("T") || rest.popByte("t"),
            let hour = rest.popNumber(digits: 2), rest.popByte(":"), let minute = rest.popNumber(digits: 2),
            rest.popByte(":"), let second = rest.popNumber(digits: 2),
            let milliseconds = rest.popFraction(), let offset = rest.popOffset(), rest.isEmpty,
            1...12 ~= month, 1...Timestamp.dayCount(of: month, year) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = Timestamp.daysSinceEpoch(year, month: month, day: day)
        let total = (((days * 24 + hour) * 60 + minute - offset) * 60 + second) * 1_000 + milliseconds
        // An offset may lead beyond the years that can be written.
        guard Timestamp.printable.contains(total) else { return nil }
        self.init(milliseconds: total)
    }

    /// The years 0 to 9999, as milliseconds since 1970.
    private static let printable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    private static func dayCount(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Years begin in March here, so that the leap day is the last of its year.
    private static func daysSinceEpoch(_ year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func popByte(_ expected: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: expected) else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func popNumber(digits count: Int) -> Int64? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Milliseconds; finer digits are cut off. Zero without a fraction.
    fileprivate mutating func popFraction() -> Int64? {
        guard popByte(".") else { return 0 }
        let count = prefix(while: \.isASCIIDigit).count
        guard 1...9 ~= count, let value = popNumber(digits: count) else { return nil }
        var nanoseconds = value
        for _ in count..<9 { nanoseconds *= 10 }
        return nanoseconds / 1_000_000
    }

    /// Minutes east of Greenwich.
    fileprivate mutating func popOffset() -> Int64? {
        if popByte("Z") || popByte("z") { return 0 }
        let isEast = first == UInt8(ascii: "+")
        guard popByte("+") || popByte("-"), let hours = popNumber(digits: 2), popByte(":"),
            let minutes = popNumber(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }
}
