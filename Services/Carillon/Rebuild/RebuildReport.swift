import RegistryLog
import ServiceKit

/// What a rebuild says while it runs and when it is done.
struct RebuildReport {
    private static let interval = Duration.seconds(2)
    /// Of records that cannot be read, so many are named; all are counted.
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
            terminal.complain("left out registry/\(partition) offset \(offset): \(problem)")
        }
    }

    func end(_ progress: RebuildProgress) {
        terminal.print(
            """
            the registry is ready: \(progress.devices) devices in \(progress.segments) segments of \(progress.apps) apps
            read \(progress.records) records, \(progress.tombstones) of them tombstones, \(rate(progress))
            """)
        guard progress.unreadable > 0 else { return }
        terminal.complain("\(progress.unreadable) records cannot be read and were left out")
    }

    mutating func take(_ summary: RecoverySummary) {
        guard time.uptime >= next else { return }
        next = time.uptime + RebuildReport.interval
        terminal.print("tasks: \(summary.messages) messages read")
    }

    func end(_ summary: RecoverySummary) {
        terminal.print(
            "tasks recovered: \(summary.ended) ended, with \(summary.proven) devices as they had and "
                + "\(summary.unknown) unknown; \(summary.resolvedAgain) to be resolved; "
                + "\(summary.reports) reports of closed tasks")
        guard summary.unreadable > 0 else { return }
        terminal.complain("\(summary.unreadable) messages about tasks cannot be read and were left out")
    }

    private func rate(_ progress: RebuildProgress) -> String {
        let milliseconds = max(1, (time.uptime - started).wholeMilliseconds)
        return "\(Int64(progress.records) * 1_000 / milliseconds) records/s"
    }
}
