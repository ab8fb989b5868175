import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel

/// Both cohorts of a campaign, and whether the difference of their opens is more than chance.
struct CampaignComparison: Sendable, Equatable {
    struct Cohort: Sendable, Equatable {
        var tasks = 0
        var targeted = 0
        var delivered = 0
        /// Devices that opened a push; also of tasks that are not closed yet.
        var opened = 0

        /// Opens per delivery.
        var openRate: Proportion { Proportion(min(opened, delivered), of: delivered) }
    }

    private(set) var cohorts: [DeliveryWindow.Method: Cohort] = [:]

    mutating func add(_ sums: StatisticsSums, to method: DeliveryWindow.Method) {
        cohorts[method, default: Cohort()].tasks += sums.tasks
        cohorts[method, default: Cohort()].targeted += sums.outcomes.targeted
        cohorts[method, default: Cohort()].delivered += sums.outcomes[.delivered]
    }

    mutating func add(opens: Int, to method: DeliveryWindow.Method) {
        cohorts[method, default: Cohort()].opened += opens
    }

    func write(to json: inout JSONText) {
        json.member(
            "cohorts",
            object: { json in
                for method in DeliveryWindow.Method.allCases {
                    json.member(method.rawValue, object: { CampaignComparison.write(self[method], to: &$0) })
                }
            })
        json.member("difference", json: difference)
    }

    private subscript(method: DeliveryWindow.Method) -> Cohort { cohorts[method] ?? Cohort() }

    private static func write(_ cohort: Cohort, to json: inout JSONText) {
        json.member("tasks", cohort.tasks)
        json.member("sent", cohort.targeted)
        json.member("delivered", cohort.delivered)
        json.member("opened", cohort.opened)
        json.member("delivery_rate", json: number(Proportion(cohort.delivered, of: cohort.targeted).rate))
        json.member("open_rate", json: number(cohort.openRate.rate))
        json.member("open_rate_interval", json: text(cohort.openRate.interval))
    }

    /// That of the good moments less that of sending at once; null without deliveries in both cohorts.
    private var difference: String {
        guard let difference = self[.contextAware].openRate.difference(from: self[.traditional].openRate) else {
            return "null"
        }
        return JSONText.object { json in
            json.member("open_rate", json: CampaignComparison.number(difference.rate))
            json.member("interval", json: CampaignComparison.text(difference.interval))
            json.member("is_significant", !difference.interval.contains(0))
        }
    }

    private static func text(_ interval: ClosedRange<Double>?) -> String {
        interval.map { "[\(number($0.lowerBound)),\(number($0.upperBound))]" } ?? "null"
    }

    /// Five decimals: a hundred thousand deliveries tell no more.
    private static func number(_ value: Double?) -> String {
        value.map { JSON.number(($0 * 100_000).rounded() / 100_000).compactText } ?? "null"
    }
}
