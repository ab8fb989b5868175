import ProviderKit
import Topics

/// A gateway to servers that devices name.
protocol OriginGateway: PushGateway {
    var gate: OriginGate { get }
    /// Sends pushes to one server, each once.
    func send(_ pushes: [Push], to origin: PushOrigin) async -> [PushOutcome]
}

extension OriginGateway {
    func admit(_ count: Int, lane: Lane) async -> Admission {
        await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await gate.send(pushes) { await send($0, to: $1) }
    }

    func send(_ pushes: [Push], handOver: (PartialOutcomes) async -> Void) async {
        await gate.send(pushes, attempt: { await send($0, to: $1) }, handOver: handOver)
    }
}
