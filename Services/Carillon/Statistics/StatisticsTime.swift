import CommandKit
import ServiceKit

/// A time in an option of a command about statistics.
enum StatisticsTime {
    /// A day means its beginning.
    static func text(_ text: String, option: CommandOption) throws(UsageError) -> String {
        for candidate in [text, "\(text)T00:00:00Z"] where Timestamp(rfc3339: candidate) != nil { return candidate }
        throw UsageError("\(option.name) \(text): expected a day such as 2026-12-24, or 2026-12-24T18:00:00Z")
    }
}
