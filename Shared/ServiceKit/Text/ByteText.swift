/// Sizes as written in settings: `512KiB`, `64MiB`, `2GiB`, or plain bytes.
package enum ByteText {
    private static let units: [(suffix: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1), ("", 1),
    ]

    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text[digits.endIndex...]
        guard let count = Int(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
        return overflow ? nil : bytes
    }

    package static func print(_ bytes: Int) -> String {
        guard bytes != 0 else { return "0" }
        for unit in units where bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.suffix)"
        }
        return String(bytes)
    }
}
