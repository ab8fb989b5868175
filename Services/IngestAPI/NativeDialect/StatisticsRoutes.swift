import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// `/v1/statistics`: the outcomes of an app's closed tasks, and what devices reported about their pushes.
struct StatisticsRoutes: Sendable {
    let statistics: any TaskStatistics
    let receipts: any TaskReceipts
    let time: any TimeSource

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let query = try StatisticsQuery(call.request, at: time.now)
        let page = try await page(query.selection(of: call.app))
        return .json(
            JSONText.object { json in
                json.member("from", "\(query.from)")
                json.member("to", "\(query.to)")
                json.member("interval", query.interval == .day ? "day" : "hour")
                json.member("by", query.by)
                if let name = query.name { json.member("name", name) }
                let rows = page.rows.map { $0.text(hasReceipts: query.interval == .day) }
                json.member("rows", json: "[\(rows.joined(separator: ","))]")
                if let next = page.next { json.member("next", "\(next)") }
            })
    }

    /// A receipt says on which day its task began, not at which hour.
    private func page(_ selection: StatisticsSelection) async throws(StoreError) -> StatisticsPage {
        let page = try await statistics.read(selection)
        guard selection.interval == .day else { return page }
        let days = selection.periods.prefix { time in page.next.map { time < $0 } ?? true }
        let receipts = try await receipts.sums(
            of: selection.app, by: selection.dimension, values: selection.values,
            days: days.map { ReceiptProof.day(of: $0) })
        return page.adding(receipts, to: selection)
    }
}

extension StatisticsRow {
    fileprivate func text(hasReceipts: Bool) -> String {
        JSONText.object { json in
            json.member("time", "\(time)")
            json.member("value", value)
            json.member("tasks", sums.tasks)
            json.member(
                "counts",
                object: { json in
                    json.member("targeted", sums.outcomes.targeted)
                    for state in OutcomeCounts.states { json.member(state.name, sums.outcomes[state]) }
                })
            if hasReceipts { json.member("receipts", object: { sums.receipts.write(to: &$0) }) }
        }
    }
}
