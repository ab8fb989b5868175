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
    /// A shorter address could be part of other words.
    private static let addressMinimum = 8
    /// Fields left out, since the terminal already shows time and program.
    private static let framing: Set = ["time", "level", "service", "trace_id", "message"]

    let text: String
    /// Equal for remarks about the same mistake: without facts that differ between programs, such as a topic.
    let subject: String
    /// The server that the remark reports as not reachable.
    let address: String?
    /// False for output of a crash.
    let isLogged: Bool

    /// Nil for a line that is not shown.
    init?(_ line: String, in dialect: Dialect) {
        switch dialect {
        case .service: self.init(ofService: line)
        case .redis: self.init(ofRedis: line)
        }
    }

    private init?(_ text: String, subject: String? = nil, address: String? = nil, isLogged: Bool) {
        guard !text.isEmpty else { return nil }
        self.text = VisibleBytes(isRaw: false).line(text, charactersMaximum: LogRemark.lengthMaximum)
        self.subject = subject.map { String($0.prefix(LogRemark.lengthMaximum)) } ?? self.text
        self.address = address
        self.isLogged = isLogged
    }

    private init?(ofService line: String) {
        guard let object = (try? JSON(line))?.object else {
            self.init(line, isLogged: false)
            return
        }
        guard let level = object["level"]?.text, let message = object["message"]?.text,
            let known = LogLevel(name: level), known >= .warning
        else { return nil }
        let facts = object.members.compactMap { name, value in
            LogRemark.framing.contains(name) ? nil : value.text.map { "\(name) \($0)" }
        }
        // The reason names a file or a setting, which is the mistake itself.
        self.init(
            "\(level): \(message)" + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"),
            subject: "\(level): \(message) \(object["reason"]?.text ?? "")",
            address: object["address"]?.text.flatMap { $0.utf8.count < LogRemark.addressMinimum ? nil : $0 },
            isLogged: true)
    }

    /// `4711:M 31 Jan 2026 12:00:00.000 # text`
    private init?(ofRedis line: String) {
        guard let mark = line.firstRange(of: " # ") else { return nil }
        self.init("warning: " + line[mark.upperBound...], isLogged: true)
    }
}
