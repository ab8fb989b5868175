import CommandKit
import ServiceKit

/// Rate of a task over its last few samples, and the line that shows its progress.
struct ProgressBar {
    private static let span = Duration.seconds(5)
    private static let barWidths = 8...40
    /// A longer rest is no estimate.
    private static let restSecondsMaximum = 100_000.0

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

    /// Narrower than the terminal, so that it can be overwritten.
    func bar(_ status: ReportedTask, columns: Int, styling: Styling = .off) -> String {
        let share = ProgressBar.share(status)
        let width = max(ProgressBar.barWidths.lowerBound, min(ProgressBar.barWidths.upperBound, columns * 3 / 10))
        let filled = Int(share * Double(width))
        let rest = "\(String(repeating: "-", count: width - filled))] \(ProgressBar.percent(share)) "
        let text = DisplayWidth.clip(text(status, hasRest: true), columns: columns - 2 - filled - rest.count)
        // The bar is narrower than any terminal on which it is of use.
        guard columns > width + 8 else { return DisplayWidth.clip(ProgressBar.percent(share), columns: columns - 1) }
        return "[\(styling.apply(.green, to: String(repeating: "#", count: filled)))\(rest)\(text)"
    }

    /// `sending 1200 of 2400, 300/s, delivered 1180, failed 20; waiting: rate 1200; receipts: opened 7`;
    /// `hasRest` adds the time that the rest takes at this rate, such as `4 s left`.
    func text(_ status: ReportedTask, hasRest: Bool = false) -> String {
        let found = status.isResolved ? "\(status.targeted)" : "\(status.targeted) found so far"
        let speed = status.isOver ? nil : rate.map { ", \(Int($0.rounded()))/s" }
        let left = hasRest ? rest(of: status).map { ", \($0) left" } : nil
        let details = [status.outcomesText, status.waitingText, status.receiptsText].compactMap { $0 }
        return "\(status.state.rawValue) \(status.ended) of \(found)\(speed ?? "")\(left ?? ""), "
            + details.joined(separator: "; ")
    }

    /// `40 s` or `12 min`; nil while devices are still being found, or if no rate is known.
    private func rest(of status: ReportedTask) -> String? {
        guard !status.isOver, status.isResolved, let rate, rate > 0, status.targeted > status.ended else { return nil }
        let seconds = Double(status.targeted - status.ended) / rate
        guard seconds < ProgressBar.restSecondsMaximum else { return nil }
        return seconds < 100 ? "\(Int(seconds.rounded(.up))) s" : "\(Int((seconds / 60).rounded(.up))) min"
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
