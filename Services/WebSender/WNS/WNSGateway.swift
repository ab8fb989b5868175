import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Topics

/// Sends pushes to Windows devices of one app: each to the address of its channel, which is on one of many hosts.
final class WNSGateway: OriginGateway {
    private let configuration: WNSConfiguration
    private let requests: OriginRequests
    private let tokens: TokenCache
    let gate: OriginGate
    private let time: any TimeSource

    init(
        _ configuration: WNSConfiguration, requests: OriginRequests, tokens: TokenCache, gate: OriginGate,
        time: any TimeSource
    ) {
        self.configuration = configuration
        self.requests = requests
        self.tokens = tokens
        self.gate = gate
        self.time = time
    }

    func admit(_ count: Int, lane: Lane) async -> Admission {
        if let obstacle = await tokens.obstacle() { return obstacle }
        return await gate.admit(count, lane: lane)
    }

    /// Anyone may register an address: outside of Microsoft's domains it would collect access tokens.
    func send(_ pushes: [Push], to origin: PushOrigin) async -> [PushOutcome] {
        guard origin.scheme == .https, origin.isWithin(configuration.domains) else {
            return pushes.map { _ in .unsendable("ForeignHost") }
        }
        let round = await tokens.send(pushes, withoutToken: { .heldBack(WNSGateway.tokenPause, reason: $0.message) }) {
            SendRound(outcomes: await self.send($0, with: $1))
        }
        return round.outcomes
    }

    /// Without a token admission refuses further pushes, and says why.
    private static let tokenPause = Duration.seconds(5)

    private func send(_ pushes: [Push], with token: BearerToken) async -> [PushOutcome] {
        let now = time.now
        var form = WNSRequest(token: token, addresses: configuration.traffic.addresses, now: now)
        return await requests.send(pushes.map { form.make($0) }) { WNSAnswer.read($0, now: now) }
    }
}
