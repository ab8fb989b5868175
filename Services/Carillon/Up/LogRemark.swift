import JSONKit
import ServiceKit

/// A line of a program's log that is shown on the terminal.
struct LogRemark: Equatable {
    /// Log format of a program.
    enum Dialect: Sendable {
        /// One JSON object per line, as services write; anything else is output of a crash.
        case service
        /// The format of redis-server, which marks warnings with `#`.
        case redis
    }

    private static let lengthMaximum = 240
    /// Fields left out, since the terminal already shows time and program.
    private static let framing: Set = ["time", "level", "service", "trace_id", "message"]

    let text: String

    /// Nil for a line that is not shown.
    init?(_ line: String, in dialect: Dialect) {
        let found =
            switch dialect {
            case .service: LogRemark.ofService(line)
            case .redis: LogRemark.ofRedis(line)
            }
        guard let found, !found.isEmpty else { return nil }
        text = VisibleBytes(isRaw: false).line(found, charactersMaximum: LogRemark.lengthMaximum)
    }

    private static func ofService(_ line: String) -> String? {
        guard let object = (try? JSON(line))?.object else { return line }
        guard let level = object["level"]?.text, let message = object["message"]?.text,
            let known = LogLevel(name: level), known >= .warning
        else { return nil }
        let facts = object.members.compactMap { name, value in
            framing.contains(name) ? nil : value.text.map { "\(name) \($0)" }
        }
        return "\(level): \(message)" + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    }

    /// `4711:M 31 Jan 2026 12:00:00.000 # text`
    private static func ofRedis(_ line: String) -> String? {
        line.firstRange(of: " # ").map { "warning: " + line[$0.upperBound...] }
    }
}
