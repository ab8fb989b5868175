import ProviderKit
import Topics

/// A gateway to servers that devices name.
protocol OriginGateway: PushGateway {
    var gate: OriginGate { get }
}

extension OriginGateway {
    func admit(_ count: Int, lane: Lane) async -> Admission {
        await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }
}
