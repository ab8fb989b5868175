import ServiceKit

@testable import LocalTime

/// Files of tzdata. A file may be followed by other bytes: the last ones choose the moments and the quiet hours.
enum ZoneTarget {
    static func run(_ bytes: [UInt8]) throws {
        guard let rules = TimeZoneRules(tzif: bytes) else { return }
        var input = FuzzInput(bytes.suffix(13))
        let scale = input.number(below: 64)
        let moment = Timestamp(milliseconds: Int64(bitPattern: input.integer()) >> scale)
        let start = Int(input.byte()) << 8 | Int(input.byte())
        let end = Int(input.byte()) << 8 | Int(input.byte())
        try localTimes(rules, moment: moment)
        try periods(rules, instant: moment.seconds)
        try quietHours(
            QuietHours(start: start % 1_440, end: end % 1_440, timeZone: "UTC"), rules: rules, moment: moment)
    }

    private static func localTimes(_ rules: TimeZoneRules, moment: Timestamp) throws {
        // Beyond the first and the last moment of the type there is none.
        guard .min / 2 ... .max / 2 ~= moment.milliseconds else { return }
        let local = rules.local(moment)
        let first = rules.timestamp(of: local)
        try FuzzError.check(first <= moment, message: "\(local) is shown at \(moment), but first at \(first)")
        try FuzzError.check(rules.local(first) >= local, message: "\(local) is not yet shown at \(first)")
        let before = rules.local(first + .seconds(-1))
        try FuzzError.check(before < local, message: "\(local) is already shown before \(first)")
    }

    private static func periods(_ rules: TimeZoneRules, instant: Int64) throws {
        let period = rules.period(at: instant)
        try FuzzError.check(period.end > instant, message: "a period ends at \(period.end), before \(instant)")
        try FuzzError.check(
            rules.period(at: period.end - 1) == period, message: "the period at \(instant) has two forms")
        try FuzzError.check(
            period.offset > TimeZoneRules.offsetMinimum && period.offset < TimeZoneRules.offsetMaximum,
            message: "an offset of \(period.offset) s")
    }

    private static func quietHours(_ quiet: QuietHours, rules: TimeZoneRules, moment: Timestamp) throws {
        guard let release = quiet.release(at: moment, in: rules) else { return }
        try FuzzError.check(release > moment, message: "quiet hours at \(moment) are over at \(release)")
        try FuzzError.check(
            quiet.release(at: release, in: rules) == nil, message: "quiet hours are not over at \(release)")
    }
}
