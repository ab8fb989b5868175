import HTTPServer
import HistoryJudge
import JSONKit
import PushModel
import ServiceKit

extension HistoryRun {
    private static let groupsPath = "/push/v1/management/groups"
    private static let appID = JSON.integer(Int64(SimulatedApp.appMetricaID) ?? 0)

    /// One call after another, each until it is answered.
    func perform(_ plan: GroupPlan) async {
        let id = Monitor<Int64?>(nil)
        await ask { publisher in
            let found = try await make(plan, through: publisher)
            return { _ in id.withLock { $0 = found } }
        }
        guard let id = id.withLock({ $0 }) else { return }
        for change in plan.changes {
            guard await perform(change, of: id, plan) else { return }
        }
        record.finish(group: plan.name, rate: plan.lastRate)
    }

    /// The name is taken if the answer to an earlier attempt was lost.
    private func make(_ plan: GroupPlan, through publisher: Publisher) async throws -> Int64? {
        do {
            let answer = try await publisher.send(
                PublisherRequest(.post, HistoryRun.groupsPath, HistoryRun.body(of: plan, rate: nil)))
            return answer.json["group"].flatMap(HistoryRun.id)
        } catch let refusal as SimulatedAPI.RefusalError where refusal.status == 409 {
            return try await groups(through: publisher).first { $0["name"]?.text == plan.name }.flatMap(HistoryRun.id)
        }
    }

    private func perform(_ change: GroupPlan.Change, of id: Int64, _ plan: GroupPlan) async -> Bool {
        let path = "/push/v1/management/group/\(id)"
        let request =
            switch change {
            case .rate(let rate): PublisherRequest(.put, path, HistoryRun.body(of: plan, rate: rate))
            case .archive: PublisherRequest(.delete, path)
            case .restore: PublisherRequest(.post, "\(path)/restore")
            }
        let isDone = Monitor(false)
        await ask { publisher in
            _ = try await publisher.send(request)
            return { _ in isDone.withLock { $0 = true } }
        }
        return isDone.withLock { $0 }
    }

    private static func body(of plan: GroupPlan, rate: Int?) -> JSONObject {
        var group = JSONObject([("app_id", appID), ("name", .string(plan.name))])
        group["send_rate"] = rate.map { .integer(Int64($0)) }
        return JSONObject([("group", .object(group))])
    }

    private static func id(of group: JSON) -> Int64? {
        if case .integer(let id) = group["id"] { id } else { nil }
    }

    private func groups(through publisher: Publisher) async throws -> [JSON] {
        let query = "app_id=\(SimulatedApp.appMetricaID)"
        let answer = try await publisher.send(PublisherRequest(.get, HistoryRun.groupsPath, query: query))
        return answer.json["groups"]?.elements ?? []
    }

    /// The groups whose calls are all answered, and what the API lists in the end, without archived ones.
    func groupEvidence() async throws -> (answered: [String: Int?], listed: [String: [Int]]) {
        let answered = record.groups
        guard !answered.isEmpty, let publisher = fleet.publisher else { return ([:], [:]) }
        var listed: [String: [Int]] = [:]
        for group in try await groups(through: publisher) {
            guard let name = group["name"]?.text, case .integer(let rate) = group["send_rate"] else {
                preconditionFailure("a group without a name")
            }
            listed[name, default: []].append(Int(rate))
        }
        return (answered, listed)
    }
}
