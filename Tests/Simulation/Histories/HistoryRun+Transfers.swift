import HTTPServer
import HistoryJudge
import JSONKit
import PushModel
import Store

extension HistoryRun {
    /// What AppMetrica's status says of each order in its dialect, by the number of the order.
    func transferStatuses() async throws -> [Int: JudgedTask.Status] {
        var statuses: [Int: JudgedTask.Status] = [:]
        for number in Set(record.tasks.map(\.value.order)).sorted()
        where history.orders[number].dialect == .appMetrica {
            let path = "/push/v1/status/\(Population.group.id)/\(number)"
            let answer = try await fleet.publisher?.send(PublisherRequest(.get, path))
            guard let transfer = answer?.json["transfer"], let status = JudgedTask.Status(transfer) else {
                preconditionFailure("a transfer without a status")
            }
            statuses[number] = status
        }
        return statuses
    }
}

extension JudgedTask.Status {
    /// Nil if the JSON has another form.
    fileprivate init?(_ transfer: JSON) {
        guard case .integer(let unmatched) = transfer["unmatched"], let counts = transfer["counts"] else { return nil }
        let states = DeliveryState.allCases.filter(\.isTerminal).compactMap { state -> (DeliveryState, Int)? in
            guard case .integer(let count) = counts[state.name] else { return nil }
            return (state, Int(count))
        }
        self.init(
            isSent: transfer["status"]?.text == "sent", counts: Dictionary(uniqueKeysWithValues: states),
            unmatched: Int(unmatched))
    }
}
