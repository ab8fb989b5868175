import PushModel
import ServiceKit
import Store

/// What became of a transfer, in AppMetrica's words.
struct TransferStatus: Sendable {
    enum State: String {
        /// It is accepted, and its tasks are not resolved yet.
        case pending
        /// Nothing was sent.
        case failed
        case inProgress = "in_progress"
        /// Every device has an outcome.
        case sent
    }

    let transfer: Transfer
    let state: State
    let errors: [String]
    /// Over all tasks that are still known.
    private let counts: [(name: String, count: Int)]
    private let unmatched: Int

    /// `tasks` has nil for a task that was closed so long ago that it has expired.
    init(_ transfer: Transfer, tasks: [TaskStatus?]) {
        self.transfer = transfer
        let known = tasks.compactMap { $0 }
        let problems = known.compactMap(\.problem)
        errors = transfer.errors.isEmpty ? problems : transfer.errors
        state = TransferStatus.state(of: transfer, tasks: tasks)
        let progress = known.compactMap(\.progress)
        counts =
            [("targeted", progress.reduce(0) { $0 + $1.counts.targeted })]
            + [("open", progress.reduce(0) { $0 + $1.counts.open })]
            + DeliveryState.allCases.filter(\.isTerminal).map { state in
                (state.name, progress.reduce(0) { $0 + $1.counts[state] })
            }
        unmatched = progress.reduce(0) { $0 + $1.unmatched }
    }

    private static func state(of transfer: Transfer, tasks: [TaskStatus?]) -> State {
        guard transfer.errors.isEmpty else { return .failed }
        guard transfer.isAccepted else { return .pending }
        let states = tasks.map { $0?.state ?? .closed }
        if states.allSatisfy({ $0 == .failed }) { return .failed }
        if states.allSatisfy({ $0 == .closed || $0 == .failed }) { return .sent }
        return states.contains { $0 == .sending || $0 == .closed } ? .inProgress : .pending
    }

    /// The client's id is shown to callers who asked by it. What follows the date is ours.
    func text(showsClientID: Bool) -> String {
        JSONText.object { json in
            json.member("transfer") { json in
                json.member("id", Int(transfer.id))
                json.member("group_id", Int(transfer.group))
                json.member("status", state.rawValue)
                if state == .failed { json.member("errors", json: JSONText.array(errors)) }
                json.member("tag", transfer.tag)
                json.member("creation_date", TransferStatus.date(transfer.created))
                if showsClientID, let id = transfer.clientID { json.member("client_transfer_id", Int(id)) }
                json.member("tasks", json: JSONText.array(transfer.tasks.map { "\($0)" }))
                json.member("unmatched", unmatched)
                json.member("counts") { json in
                    for (name, count) in counts { json.member(name, count) }
                }
            }
        }
    }

    /// With an offset and without a fraction, as clients of AppMetrica parse it.
    private static func date(_ moment: Timestamp) -> String {
        let seconds = Timestamp(milliseconds: moment.milliseconds / 1_000 * 1_000)
        return "\(seconds)".prefix(19) + "+00:00"
    }
}
