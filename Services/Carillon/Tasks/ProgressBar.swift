import ServiceKit

/// How fast a task goes, over the last few looks at it, and the line that shows it.
struct ProgressBar {
    private static let span = Duration.seconds(5)
    private static let barWidth = 24
    /// What a terminal holds that does not say how wide it is.
    static let usualWidth = 80

    private var looks: [(uptime: Duration, ended: Int)] = []

    mutating func look(at status: ReportedTask, uptime: Duration) {
        looks.append((uptime, status.ended))
        // The look before the span is kept, so that the rate always has two ends.
        while looks.count > 2, uptime - looks[1].uptime >= ProgressBar.span { looks.removeFirst() }
    }

    /// Devices a second; nil before it is known.
    var rate: Double? {
        guard let first = looks.first, let last = looks.last, last.uptime > first.uptime else { return nil }
        return Double(last.ended - first.ended) / (last.uptime - first.uptime).inSeconds
    }

    /// Fits in the columns, so that it can be drawn over.
    func bar(_ status: ReportedTask, columns: Int) -> String {
        let share = ProgressBar.share(status)
        let filled = Int(share * Double(ProgressBar.barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: ProgressBar.barWidth - filled)
        let line = "[\(bar)] \(ProgressBar.percent(share)) \(text(status))"
        return line.count < columns ? line : line.prefix(max(0, columns - 2)) + "…"
    }

    /// `sending 1200 of 2400, 300/s, delivered 1180, failed 20`
    func text(_ status: ReportedTask) -> String {
        let found = status.isResolved ? "\(status.targeted)" : "\(status.targeted) found so far"
        let speed = status.isOver ? nil : rate.map { ", \(Int($0.rounded()))/s" }
        return "\(status.state.rawValue) \(status.ended) of \(found)\(speed ?? ""), \(status.outcomesText)"
    }

    private static func share(_ status: ReportedTask) -> Double {
        if status.state == .closed { return 1 }
        guard status.targeted > 0 else { return 0 }
        return min(1, Double(status.ended) / Double(status.targeted))
    }

    private static func percent(_ share: Double) -> String {
        let text = "\(Int(share * 100))%"
        return String(repeating: " ", count: 4 - text.count) + text
    }
}
