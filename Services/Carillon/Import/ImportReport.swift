import CommandKit
import PushModel
import ServiceKit

/// Prints the progress and the result of an import.
struct ImportReport {
    private static let interval = Duration.seconds(2)

    private let terminal: any Terminal
    private let time: any TimeSource
    private let subscribers: Int
    /// Done by an earlier run.
    private let before: Int
    private let started: Usage
    private var next: Duration

    /// `subscribers` is the number of all at the start.
    init(_ terminal: any Terminal, subscribers: Int, before: Int, time: any TimeSource) {
        self.terminal = terminal
        self.time = time
        self.subscribers = subscribers
        self.before = before
        started = Usage.now
        next = time.uptime + ImportReport.interval
        guard before > 0 else { return }
        terminal.complain("an earlier run was interrupted after \(before) subscribers; continuing")
    }

    mutating func take(_ state: ImportState) {
        guard time.uptime >= next else { return }
        next = time.uptime + ImportReport.interval
        let done = state.summary.subscribers
        let rate = rate(done)
        let left = max(0, subscribers - done)
        terminal.complain(
            "\(done) of \(subscribers) subscribers, \(Int(rate))/s, "
                + "\(DurationText.print(.seconds(rate > 0 ? Int(Double(left) / rate) : 0))) left")
    }

    func end(_ summary: ImportSummary, isDryRun: Bool) {
        terminal.print(
            "\(isDryRun ? "can be taken over" : "taken over"): \(summary.takenOver) of \(summary.subscribers) "
                + "subscribers, with \(summary.subscriptions) subscriptions")
        for (kind, count) in summary.protocols.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            terminal.print("  \(kind.name): \(count)")
        }
        if summary.takenBefore > 0 { terminal.print("taken over by an earlier run: \(summary.takenBefore)") }
        if summary.registered > 0 { terminal.print("registered with Carillon already: \(summary.registered)") }
        for omission in ImportOmission.allCases {
            guard let omitted = summary.omissions[omission] else { continue }
            terminal.print("left out, \(omission.rawValue): \(omitted.count)")
            for sample in omitted.samples { terminal.print("  \(sample)") }
        }
        terminal.print("\(Int(rate(summary.subscribers))) subscribers/s")
    }

    /// One line, also for programs that start the command.
    func line(_ summary: ImportSummary, isDryRun: Bool) -> String {
        let used = Usage.now - started
        return JSONText.object { json in
            json.member("dry_run", isDryRun)
            json.member("seconds", used.seconds)
            json.member("subscribers_per_second", rate(summary.subscribers))
            json.member("cpu_seconds", used.cpuSeconds)
            json.member("memory_bytes_peak", used.memoryBytesPeak)
            summary.write(to: &json)
        }
    }

    /// Of this run.
    private func rate(_ done: Int) -> Double {
        Double(done - before) / max(0.001, (Usage.now - started).seconds)
    }
}
