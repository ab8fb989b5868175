import ServiceKit

/// The fields of a form, as token endpoints take them; the last of repeated fields counts.
struct FormFields {
    private var values: [String: String] = [:]

    /// Fields that cannot be decoded are left out, and missing for the caller.
    init(_ body: [UInt8]) {
        for item in OutsideText.replacing(body).utf8.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = PercentEncoding.decode(parts[1], plusIsSpace: true)
            else { continue }
            values[name] = value
        }
    }

    subscript(name: String) -> String? { values[name] }
}
