import Apps
import HTTP2
import ProviderKit
import ServiceKit
import Topics

/// Sends pushes to Apple for one app.
final class APNsGateway: PushGateway {
    private let credentials: APNsCredentials
    private let account: APNsAccount
    private let gate: TokenGate

    init(_ credentials: APNsCredentials, account: APNsAccount, gate: SendGate) {
        self.credentials = credentials
        self.account = account
        self.gate = TokenGate(tokens: account.tokens, gate: gate)
    }

    /// Maximum of pushes in flight now.
    var inFlightMaximum: Int { gate.inFlightMaximum }

    func admit(_ count: Int, lane: Lane) async -> Admission {
        await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await gate.send(pushes) { SendRound(outcomes: await self.send($0, with: $1)) }
    }

    private func send(_ pushes: [Push], with token: BearerToken?) async -> [PushOutcome] {
        var validator = APNsValidator()
        var outcomes = pushes.map { push in validator.obstacle(push).map { PushOutcome.answered($0) } }
        let open = pushes.indices.filter { outcomes[$0] == nil }
        async let sandbox = send(
            pushes, positions: open.filter { pushes[$0].isSandbox }, isSandbox: true, with: token)
        async let production = send(
            pushes, positions: open.filter { !pushes[$0].isSandbox }, isSandbox: false, with: token)
        for (positions, answers) in await [sandbox, production] {
            for (position, outcome) in zip(positions, answers) { outcomes[position] = outcome }
        }
        return outcomes.compactMap { $0 }
    }

    private func send(
        _ pushes: [Push], positions: [Int], isSandbox: Bool, with token: BearerToken?
    ) async -> (positions: [Int], answers: [PushOutcome]) {
        guard !positions.isEmpty else { return ([], []) }
        guard let line = account.line(isSandbox: isSandbox) else {
            return (positions, positions.map { _ in .notSent("the app's credentials were changed") })
        }
        // Nearly always all of them, and then there is nothing to copy.
        let mine = positions.count == pushes.count ? pushes : positions.map { pushes[$0] }
        return (positions, await line.send(mine, topic: credentials.topic, token: token))
    }
}
