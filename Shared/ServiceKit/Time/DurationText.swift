/// Durations as written in settings: `250ms`, `30s`, `5m`, `12h`, `7d`.
package enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text[digits.endIndex...]
        guard let count = Int64(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// The largest unit that divides it evenly.
    package static func print(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        guard milliseconds != 0 else { return "0s" }
        for unit in units where milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
        }
        return "\(milliseconds)ms"
    }
}
