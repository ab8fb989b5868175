import HTTP2
import ProviderKit
import ServiceKit
import Topics

/// Sends pushes to Google for one app: one request per device, concurrently over connections that all apps share.
final class FCMGateway: PushGateway {
    private static let common: HTTP2Headers = ["content-type": "application/json"]

    private let path: String
    private let pool: HTTP2Pool
    private let quota: ProjectQuota?
    private let gate: TokenGate
    private let time: any TimeSource

    init(
        project: String, pool: HTTP2Pool, tokens: TokenCache, quota: ProjectQuota?, gate: SendGate,
        time: any TimeSource
    ) {
        path = "/v1/projects/\(project)/messages:send"
        self.pool = pool
        self.quota = quota
        self.gate = TokenGate(tokens: tokens, gate: gate)
        self.time = time
    }

    var inFlightMaximum: Int { gate.inFlightMaximum }

    func admit(_ count: Int, lane: Lane) async -> Admission {
        if let obstacle = await gate.obstacle() { return obstacle }
        switch await quota?.take(count) {
        case nil: break
        case .refused(let wait): return .pausedFor(wait)
        case .granted(let wait):
            // A cancelled wait continues immediately: the calls that follow notice the cancellation.
            if wait > .zero { try? await time.sleep(for: wait) }
        }
        let admission = await gate.admit(count, lane: lane)
        if case .admitted(let admitted) = admission {
            quota?.giveBack(count - admitted)
        } else {
            quota?.giveBack(count)
        }
        return admission
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
        quota?.giveBack(count)
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await gate.send(pushes) { await self.send($0, with: $1) }
    }

    private func send(_ pushes: [Push], with token: BearerToken?) async -> SendRound {
        var headers = FCMGateway.common
        if let token { headers.append("authorization", token.authorization) }
        let requests = pushes.map { HTTP2Request(.post, path, sharedHeaders: headers, body: $0.payload) }
        var round = SendRound()
        round.outcomes.reserveCapacity(pushes.count)
        let now = time.now
        for outcome in await pool.send(requests) {
            round.add(PushOutcome(outcome) { FCMAnswer.read($0, now: now) })
        }
        return round
    }
}
