import ServiceKit

/// Limits the log lines of each program on the terminal; all of them are in the log file.
struct RemarkGate {
    enum Verdict: Equatable {
        case show
        /// The first suppressed line: print where the others are.
        case sayThereIsMore
        case hide
    }

    static let shownMaximum = 5
    static let span = Duration.seconds(10)

    private struct Span {
        let start: Duration
        var count = 0
    }

    private var spans: [String: Span] = [:]

    mutating func judge(_ program: String, at uptime: Duration) -> Verdict {
        var span = spans[program] ?? Span(start: uptime)
        if uptime - span.start >= RemarkGate.span { span = Span(start: uptime) }
        span.count += 1
        spans[program] = span
        if span.count <= RemarkGate.shownMaximum { return .show }
        return span.count == RemarkGate.shownMaximum + 1 ? .sayThereIsMore : .hide
    }
}
