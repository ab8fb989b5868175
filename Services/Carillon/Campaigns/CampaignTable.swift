import CommandKit
import JSONKit
import TaskModel

/// Shows a campaign as a table, on a terminal with a bar for each cohort.
struct CampaignTable {
    private struct Cohort {
        let method: String
        let tasks: Int
        let sent: Int
        let delivered: Int
        let opened: Int
        let rate: Double?
        let interval: ClosedRange<Double>?

        init?(_ method: String, _ json: JSON) {
            guard let tasks = json.count("tasks"), let sent = json.count("sent"),
                let delivered = json.count("delivered"), let opened = json.count("opened")
            else { return nil }
            self.method = method
            self.tasks = tasks
            self.sent = sent
            self.delivered = delivered
            self.opened = opened
            rate = json["open_rate"]?.double
            interval = CampaignTable.interval(json["open_rate_interval"])
        }
    }

    private static let barWidth = 40

    private let cohorts: [Cohort]
    private let difference: JSON?

    /// Nil if it is no campaign.
    init?(_ json: JSON) {
        let cohorts = DeliveryWindow.Method.allCases.compactMap { method in
            json["cohorts"]?[method.rawValue].flatMap { Cohort(method.rawValue, $0) }
        }
        guard cohorts.count == DeliveryWindow.Method.allCases.count else { return nil }
        self.cohorts = cohorts
        difference = json["difference"]
    }

    func text(isTerminal: Bool, styling: Styling) -> String {
        let table = Table(
            header: ["METHOD", "TASKS", "SENT", "DELIVERED", "OPENED", "OPEN RATE", "95 %"] + (isTerminal ? [""] : []),
            rows: cohorts.map { cohort in
                [
                    cohort.method, "\(cohort.tasks)", "\(cohort.sent)", "\(cohort.delivered)", "\(cohort.opened)",
                    cohort.rate.map(CampaignTable.percent) ?? "–", cohort.interval.map(CampaignTable.percent) ?? "–",
                ] + (isTerminal ? [bar(cohort)] : [])
            })
        return table.text(styling) + "\n" + styling.apply(.bold, to: verdict)
    }

    private var verdict: String {
        guard let difference, let rate = difference["open_rate"]?.double,
            let interval = CampaignTable.interval(difference["interval"]),
            case .bool(let isSignificant) = difference["is_significant"]
        else { return "No verdict yet: both cohorts need deliveries." }
        let points = "\(CampaignTable.percent(rate)) (95 %: \(CampaignTable.percent(interval)))"
        guard isSignificant else { return "No proven difference: good moments change the open rate by \(points)." }
        return "Good moments \(rate > 0 ? "raise" : "lower") the open rate by \(points)."
    }

    /// The largest upper end fills the width.
    private func bar(_ cohort: Cohort) -> String {
        guard let rate = cohort.rate, let interval = cohort.interval,
            let end = cohorts.compactMap({ $0.interval?.upperBound }).max(), end > 0
        else { return "" }
        let width = Double(CampaignTable.barWidth)
        let (low, middle, high) = (
            Int(interval.lowerBound / end * width), Int(rate / end * width), Int(interval.upperBound / end * width)
        )
        return (0..<high).map { $0 < low ? "#" : $0 < middle ? "=" : "-" }.joined()
    }

    private static func interval(_ json: JSON?) -> ClosedRange<Double>? {
        guard let ends = json?.elements?.compactMap(\.double), ends.count == 2, ends[0] <= ends[1] else { return nil }
        return ends[0]...ends[1]
    }

    /// With one decimal, which an integer has as well.
    private static func percent(_ value: Double) -> String {
        let permille = Int((value * 1_000).rounded())
        return "\(permille < 0 ? "-" : "")\(abs(permille) / 10).\(abs(permille) % 10)%"
    }

    private static func percent(_ interval: ClosedRange<Double>) -> String {
        "\(percent(interval.lowerBound)) to \(percent(interval.upperBound))"
    }
}

extension JSON {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
