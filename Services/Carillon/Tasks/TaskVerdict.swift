import CommandKit
import JSONKit
import ServiceKit

/// How a task ended, and the line that says so on a terminal.
struct TaskVerdict: Equatable {
    enum Grade: Equatable {
        case complete
        /// A device ended other than delivered, the task was cancelled, or no device matched.
        case incomplete
        case failed
    }

    let grade: Grade
    let text: String

    /// Nil before the end. `command` completes a command so that it reaches the same API.
    init?(_ status: ReportedTask, command: (String) -> String = { "carillon \($0)" }) {
        guard status.isOver else { return nil }
        let targeted = CountText.grouped(status.targeted)
        let delivered = CountText.grouped(status.count(.delivered))
        let others = ReportedTask.Outcome.allCases.filter { $0 != .delivered && status.count($0) > 0 }
            .map { "\($0.label) \(CountText.grouped(status.count($0)))" }.joined(separator: ", ")
        let receipts = status.receiptsText.map { "; \($0)" } ?? ""
        let details = others.isEmpty ? "" : "; \(others); see \(command("tasks show \(status.id)"))"
        if status.state == .failed {
            self.init(grade: .failed, text: "the task failed: \(TaskVerdict.visible(status.outcomesText))")
        } else if status.isCancelled || status.count(.cancelled) > 0 {
            self.init(grade: .incomplete, text: "cancelled: \(delivered) of \(targeted) delivered\(details)\(receipts)")
        } else if status.targeted == 0 {
            self.init(grade: .incomplete, text: "no device matched; nothing was sent")
        } else if status.count(.delivered) == status.targeted {
            let devices = CountText.of(status.targeted, noun: "device")
            let all = status.targeted == 1 ? "" : "all "
            self.init(grade: .complete, text: "delivered to \(all)\(devices)\(TaskVerdict.pace(status))\(receipts)")
        } else {
            self.init(grade: .incomplete, text: "\(delivered) of \(targeted) delivered\(details)\(receipts)")
        }
    }

    private init(grade: Grade, text: String) {
        self.grade = grade
        self.text = text
    }

    /// A mark in color, or a word without it.
    func line(_ styling: Styling) -> String {
        let mark =
            switch grade {
            case .complete: styling.isOn ? "✓" : "ok:"
            case .incomplete: styling.isOn ? "!" : "warning:"
            case .failed: styling.isOn ? "✗" : "error:"
            }
        return "\(styling.apply(grade.style, to: mark)) \(text)"
    }

    /// ` in 4.1 s (2,930/s)`, from the times in the task's document; empty without them.
    private static func pace(_ status: ReportedTask) -> String {
        func time(_ name: String) -> Timestamp? { status.document[name]?.text.flatMap { Timestamp(rfc3339: $0) } }
        guard let begun = time("send_at") ?? time("created"), let closed = time("closed"), closed > begun else {
            return ""
        }
        let seconds = Double(closed.milliseconds - begun.milliseconds) / 1_000
        guard seconds < 3_600 else { return "" }
        let tenths = Int((seconds * 10).rounded(.up))
        let rate = CountText.grouped(Int((Double(status.targeted) / seconds).rounded()))
        return " in \(tenths / 10).\(tenths % 10) s" + (status.targeted > 1 ? " (\(rate)/s)" : "")
    }

    /// The problem of a failed task comes from the API.
    private static func visible(_ text: String) -> String {
        VisibleBytes(isRaw: false).line(text, charactersMaximum: 300)
    }
}

extension TaskVerdict.Grade {
    var style: TextStyle {
        switch self {
        case .complete: .green
        case .incomplete: .yellow
        case .failed: .red
        }
    }
}
