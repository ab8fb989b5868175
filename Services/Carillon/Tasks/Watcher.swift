import CommandKit
import JSONKit
import ServiceKit

/// Polls a task and prints what has changed.
struct Watcher {
    private let api: TaskAPI
    private let terminal: any Terminal
    private let isJSON: Bool
    /// Completes a printed command so that it reaches the same API.
    private let command: @Sendable (String) -> String
    /// For the warning if no device matches; nil if this command did not post the task.
    private let task: JSON?
    private let time: any TimeSource

    init(
        _ api: TaskAPI, terminal: any Terminal, isJSON: Bool, task: JSON? = nil,
        command: @escaping @Sendable (String) -> String = { "carillon \($0)" },
        time: any TimeSource = SystemTimeSource()
    ) {
        self.api = api
        self.terminal = terminal
        self.isJSON = isJSON
        self.command = command
        self.task = task
        self.time = time
    }

    /// Returns the exit code.
    func watch(_ id: String) async throws -> Int32 {
        var progress = ProgressBar()
        var last: ReportedTask?
        let begun = time.uptime
        while true {
            let status = try await TaskAPI.retrying(on: [.unreachable, .away], terminal: terminal, time: time) {
                try await api.status(of: id)
            }
            progress.update(with: status, uptime: time.uptime)
            if status != last || terminal.isTerminal { show(status, progress: progress) }
            if status.isOver {
                conclude(status)
                return status.exitCode
            }
            last = status
            let pause = Watcher.pause(after: time.uptime - begun)
            // A task that waits changes only when it is cancelled.
            try await time.sleep(for: status.state == .scheduled ? max(pause, .seconds(1)) : pause)
        }
    }

    /// The longer a task takes, the less often it is polled.
    static func pause(after elapsed: Duration) -> Duration {
        max(.milliseconds(200), min(.seconds(1), elapsed / 20))
    }

    private func show(_ status: ReportedTask, progress: ProgressBar) {
        if isJSON {
            terminal.print(status.document.compactText)
        } else if terminal.isTerminal {
            terminal.redraw(progress.bar(status, columns: terminal.columns, styling: terminal.styling))
        } else {
            terminal.print(progress.text(status))
        }
    }

    private func conclude(_ status: ReportedTask) {
        if !isJSON, terminal.isTerminal {
            terminal.redraw(nil)
            if let verdict = TaskVerdict(status, command: command) { terminal.print(verdict.line(terminal.styling)) }
        } else if !isJSON {
            terminal.print(Watcher.summary(status))
        }
        if status.state == .closed, status.targeted == 0, !status.isCancelled {
            terminal.complain(warning: UnmatchedTask(task ?? .null, command: command).warning)
        }
    }

    /// The last line for programs; its form is documented.
    private static func summary(_ status: ReportedTask) -> String {
        let word = status.state == .failed ? "failed" : status.isCancelled ? "cancelled" : "closed"
        let receipts = status.receiptsText.map { "; \($0)" } ?? ""
        return "\(word): \(status.targeted) targeted, \(status.outcomesText)\(receipts)"
    }
}
