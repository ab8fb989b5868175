import ServiceKit

/// Rate of a task over its last few samples, and the line that shows its progress.
struct ProgressBar {
    private static let span = Duration.seconds(5)
    private static let barWidth = 24

    private var looks: [(uptime: Duration, ended: Int)] = []

    mutating func update(with status: ReportedTask, uptime: Duration) {
        looks.append((uptime, status.ended))
        // One sample from before the span is kept, so that the rate always has two points.
        while looks.count > 2, uptime - looks[1].uptime >= ProgressBar.span { looks.removeFirst() }
    }

    /// Devices per second; nil before there are two samples.
    var rate: Double? {
        guard let first = looks.first, let last = looks.last, last.uptime > first.uptime else { return nil }
        return Double(last.ended - first.ended) / (last.uptime - first.uptime).inSeconds
    }

    /// Shorter than the terminal is wide, so that it can be overwritten.
    func bar(_ status: ReportedTask, columns: Int) -> String {
        let share = ProgressBar.share(status)
        let filled = Int(share * Double(ProgressBar.barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: ProgressBar.barWidth - filled)
        let line = "[\(bar)] \(ProgressBar.percent(share)) \(text(status))"
        return line.count < columns ? line : line.prefix(max(0, columns - 2)) + "…"
    }

    /// `sending 1200 of 2400, 300/s, delivered 1180, failed 20; waiting: rate 1200; receipts: opened 7`
    func text(_ status: ReportedTask) -> String {
        let found = status.isResolved ? "\(status.targeted)" : "\(status.targeted) found so far"
        let speed = status.isOver ? nil : rate.map { ", \(Int($0.rounded()))/s" }
        let details = [status.outcomesText, status.waitingText, status.receiptsText].compactMap { $0 }
        return "\(status.state.rawValue) \(status.ended) of \(found)\(speed ?? ""), \(details.joined(separator: "; "))"
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
