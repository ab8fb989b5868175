import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// `/v1/statistics`: the outcomes of an app's closed tasks.
struct StatisticsRoutes: Sendable {
    let statistics: any TaskStatistics
    let time: any TimeSource

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let query = try StatisticsQuery(call.request, at: time.now)
        let page = try await statistics.read(query.selection(of: call.app))
        return .json(
            JSONText.object { json in
                json.member("from", "\(query.from)")
                json.member("to", "\(query.to)")
                json.member("interval", query.interval == .day ? "day" : "hour")
                json.member("by", query.by)
                if let name = query.name { json.member("name", name) }
                json.member("rows", json: "[\(page.rows.map(\.text).joined(separator: ","))]")
                if let next = page.next { json.member("next", "\(next)") }
            })
    }
}

extension StatisticsRow {
    fileprivate var text: String {
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
        }
    }
}
