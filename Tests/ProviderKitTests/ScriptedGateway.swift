import ProviderKit
import PushModel
import ServiceKit
import Topics

/// A provider that answers as scripted and records the pushes.
final class ScriptedGateway: PushGateway {
    private struct State {
        var sent: [Push] = []
        var admitted = 0
        var admission: Admission?
    }

    private let state = Monitor(State())
    private let answer: @Sendable (Push) async -> PushOutcome

    init(_ answer: @escaping @Sendable (Push) async -> PushOutcome) {
        self.answer = answer
    }

    var sent: [Push] { state.withLock { $0.sent } }
    /// Number of permits that were admitted but neither used nor returned.
    var permitsHeld: Int { state.withLock { $0.admitted } }

    func answerAdmissions(_ admission: Admission?) {
        state.change { $0.admission = admission }
    }

    func admit(_ count: Int, lane: Lane) -> Admission {
        state.change { state in
            if let scripted = state.admission { return scripted }
            state.admitted += count
            return .admitted(count)
        }
    }

    func giveBack(_ count: Int) {
        state.change { $0.admitted -= count }
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        state.change { state in
            state.sent += pushes
            state.admitted -= pushes.count
        }
        var outcomes: [PushOutcome] = []
        for push in pushes { outcomes.append(await answer(push)) }
        return outcomes
    }
}

struct OneGateway: GatewayDirectory {
    let gateway: (any PushGateway)?

    /// The lookup result when there is no gateway.
    var absent = GatewayLookup.noProvider

    func gateway(for app: AppID, _ kind: PushProtocol) -> GatewayLookup {
        gateway.map { .found($0) } ?? absent
    }
}
