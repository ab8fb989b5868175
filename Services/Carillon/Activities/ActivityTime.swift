import CommandKit
import ServiceKit

/// A time in an option of a command about Live Activities.
enum ActivityTime {
    static func text(_ text: String, option: CommandOption) throws(UsageError) -> String {
        guard Timestamp(rfc3339: text) != nil else {
            throw UsageError("\(option.name) \(text): expected a time with a zone, such as 2026-12-24T18:00:00Z")
        }
        return text
    }
}
