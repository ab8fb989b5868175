import CommandKit
import JSONKit
import ServiceKit

/// Polls a task and prints what has changed.
struct Watcher {
    private let api: TaskAPI
    private let terminal: any Terminal
    private let isJSON: Bool
    private let time: any TimeSource

    init(_ api: TaskAPI, terminal: any Terminal, isJSON: Bool, time: any TimeSource = SystemTimeSource()) {
        self.api = api
        self.terminal = terminal
        self.isJSON = isJSON
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
            terminal.redraw(progress.bar(status, columns: terminal.columns))
        } else {
            terminal.print(progress.text(status))
        }
    }

    private func conclude(_ status: ReportedTask) {
        guard !isJSON else { return }
        if terminal.isTerminal { terminal.redraw(nil) }
        let word = status.state == .failed ? "failed" : status.isCancelled ? "cancelled" : "closed"
        let receipts = status.receiptsText.map { "; \($0)" } ?? ""
        terminal.print("\(word): \(status.targeted) targeted, \(status.outcomesText)\(receipts)")
    }
}
