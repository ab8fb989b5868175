extension Timestamp {
    /// `2026-01-31T12:00:00Z`, optionally with a fraction of a second and an offset; nil for any other text.
    package init?(rfc3339 text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = rest.popNumber(digits: 4), rest.popByte("-"), let month = rest.popNumber(digits: 2),
            rest.popByte("-"), let day = rest.popNumber(digits: 2), rest.popByte("T") || rest.popByte("t"),
            let hour = rest.popNumber(digits: 2), rest.popByte(":"), let minute = rest.popNumber(digits: 2),
            rest.popByte(":"), let second = rest.popNumber(digits: 2),
            let milliseconds = rest.popFraction(), let offset = rest.popOffset(), rest.isEmpty,
            let date = CivilDate(year, month: month, day: day), hour < 24, minute < 60, second < 60
        else { return nil }
        let total = (((date.daysSinceEpoch * 24 + hour) * 60 + minute - offset) * 60 + second) * 1_000 + milliseconds
        // An offset may lead beyond the years that can be written.
        guard Timestamp.printable.contains(total) else { return nil }
        self.init(milliseconds: total)
    }

    /// The years 0 to 9999, as milliseconds since 1970.
    private static let printable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
}

extension ArraySlice<UInt8> {
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
