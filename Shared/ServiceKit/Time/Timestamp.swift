/// A moment on the wall clock, in milliseconds since 1970-01-01 UTC.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    // A moment from a message or from Redis may have any value of the type: a result outside the type's range becomes
    // its first or last moment instead of trapping.
    package static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let span = duration.wholeMilliseconds
        let (sum, isBeyond) = moment.milliseconds.addingReportingOverflow(span)
        return Timestamp(milliseconds: isBeyond ? (span < 0 ? .min : .max) : sum)
    }

    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        let (span, isBeyond) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(isBeyond ? (later < earlier ? .min : .max) : span)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, as logs and public messages print it.
    package var description: String {
        let day = Int64(86_400_000)
        // Rounded down without overflow: a time from outside may have any value of the type.
        let (wholeDays, rest) = milliseconds.quotientAndRemainder(dividingBy: day)
        let date = CivilDate(daysSinceEpoch: rest < 0 ? wholeDays - 1 : wholeDays)
        let inDay = rest < 0 ? rest + day : rest
        var text: [UInt8] = []
        text.reserveCapacity(24)
        Timestamp.append(date.year, width: 4, end: "-", to: &text)
        Timestamp.append(date.month, width: 2, end: "-", to: &text)
        Timestamp.append(date.day, width: 2, end: "T", to: &text)
        Timestamp.append(inDay / 3_600_000, width: 2, end: ":", to: &text)
        Timestamp.append(inDay / 60_000 % 60, width: 2, end: ":", to: &text)
        Timestamp.append(inDay / 1_000 % 60, width: 2, end: ".", to: &text)
        Timestamp.append(inDay % 1_000, width: 3, end: "Z", to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Padded with zeros and followed by `end`.
    private static func append(_ value: Int64, width: Int, end: Unicode.Scalar, to text: inout [UInt8]) {
        if value < 0 { text.append(UInt8(ascii: "-")) }
        let start = text.count
        var rest = value.magnitude
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || text.count - start < width
        text[start...].reverse()
        text.append(UInt8(ascii: end))
    }
}
