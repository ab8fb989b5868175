import CommandKit
import RegistryLog
import ServiceKit

/// Prints the progress and the result of a rebuild.
struct RebuildReport {
    private static let interval = Duration.seconds(2)
    /// Number of unreadable records that are printed; all are counted.
    private static let namedMaximum = 10

    private let terminal: any Terminal
    private let time: any TimeSource
    private let started: Duration
    private var next: Duration
    private var named = 0

    init(_ terminal: any Terminal, time: any TimeSource) {
        self.terminal = terminal
        self.time = time
        started = time.uptime
        next = started + RebuildReport.interval
    }

    mutating func take(_ note: RegistryRebuild.Note) {
        switch note {
        case .progress(let progress):
            guard time.uptime >= next else { return }
            next = time.uptime + RebuildReport.interval
            terminal.print("\(progress.devices) devices, \(progress.records) records, \(rate(progress))")
        case .unreadable(let partition, let offset, let problem):
            named += 1
            guard named <= RebuildReport.namedMaximum else { return }
            terminal.complain("skipped registry/\(partition) offset \(offset): \(problem)")
        }
    }

    func end(_ progress: RebuildProgress) {
        terminal.print(
            """
            the registry is ready: \(progress.devices) devices in \(progress.segments) segments of \(progress.apps) apps
            read \(progress.records) records, \(progress.tombstones) of them tombstones, \(rate(progress))
            """)
        guard progress.unreadable > 0 else { return }
        terminal.complain("unreadable records skipped: \(progress.unreadable)")
    }

    mutating func take(_ summary: RecoverySummary) {
        guard time.uptime >= next else { return }
        next = time.uptime + RebuildReport.interval
        terminal.print("tasks: \(summary.messages) messages read")
    }

    func end(_ summary: RecoverySummary) {
        terminal.print("not in the log: pushes counted for limits.pushes_per_device, badges and failures of devices")
        terminal.print(
            "tasks recovered: \(summary.ended) closed, with \(summary.proven) known outcomes and "
                + "\(summary.unknown) unknown; \(summary.resolvedAgain) to be resolved; "
                + "\(summary.reports) reports of closed tasks, and \(summary.counted) added to the statistics; "
                + "\(summary.receipts) receipts counted; \(summary.scheduled) scheduled for later")
        guard summary.unreadable > 0 else { return }
        terminal.complain("unreadable task messages skipped: \(summary.unreadable)")
    }

    private func rate(_ progress: RebuildProgress) -> String {
        let milliseconds = max(1, (time.uptime - started).wholeMilliseconds)
        return "\(Int64(progress.records) * 1_000 / milliseconds) records/s"
    }
}
