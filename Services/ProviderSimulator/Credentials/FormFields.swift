import HTTPServer
import ServiceKit

/// The fields of a form, as token endpoints take them; of a repeated one the last counts.
struct FormFields {
    private var values: [String: String] = [:]

    /// What cannot be decoded is left out, and then missed by whoever asks for it.
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
