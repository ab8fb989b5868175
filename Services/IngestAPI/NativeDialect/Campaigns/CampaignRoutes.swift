import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel

/// `/v1/campaigns/NAME`: what became of the tasks with this label, by the method that chose their moments.
struct CampaignRoutes: Sendable {
    static let parameters = ["from", "to"]
    private static let daysDefault = 30
    private static let daysMaximum = 90

    let statistics: any TaskStatistics
    let receipts: any TaskReceipts
    let time: any TimeSource

    /// A campaign that no task has named is one without tasks.
    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let campaign = call.request.parameter("campaign")
        guard TaskLabels.isValue(campaign) else {
            throw TaskError.invalidField("campaign", message: "expected the value of a label: \(TaskLabels.valueRule)")
        }
        let values = CampaignRoutes.values(of: campaign)
        let selection = try selection(call, values: values.map(\.text))
        var comparison = CampaignComparison()
        let days = selection.periods.map { ReceiptProof.day(of: $0) }
        let page = try await statistics.read(selection)
        let opens = try await receipts.sums(of: call.app, by: .cohort, values: selection.values, days: days)
        for (method, text) in values {
            let value = Array(text.utf8)
            for row in page.rows where row.value.utf8.elementsEqual(value) {
                comparison.add(row.sums, to: method)
            }
            for counts in opens.values { comparison.add(opens: counts[value]?[.opened] ?? 0, to: method) }
        }
        return .json(
            JSONText.object { json in
                json.member("campaign", campaign)
                json.member("from", "\(selection.from)")
                json.member("to", "\(selection.to)")
                comparison.write(to: &json)
            })
    }

    /// Under which the tasks of a campaign are counted.
    private static func values(of campaign: String) -> [(method: DeliveryWindow.Method, text: String)] {
        DeliveryWindow.Method.allCases.map { ($0, CampaignCohort(campaign: campaign, method: $0).text) }
    }

    private func selection(
        _ call: AuthorizedRequest, values: [String]
    ) throws(TaskError) -> StatisticsSelection {
        let day = StatisticsInterval.day
        let to = try StatisticsQuery.time("to", in: call.request) ?? day.start(of: time.now) + day.length
        let start = day.start(of: to + (.zero - day.length * CampaignRoutes.daysDefault))
        let from = try StatisticsQuery.time("from", in: call.request) ?? start
        guard from < to else { throw TaskError.invalidField("from", message: "expected a time before to, \(to)") }
        guard to - from <= day.length * CampaignRoutes.daysMaximum else {
            throw TaskError.invalidField(
                "from", message: "expected at most \(CampaignRoutes.daysMaximum) days before to, \(to)")
        }
        return StatisticsSelection(
            of: call.app, by: .cohort, values: values, interval: day, from: from, to: to,
            rowsMaximum: (CampaignRoutes.daysMaximum + 1) * values.count)
    }
}
