import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Synchronization

/// The connections of one account to one of Apple's environments.
final class APNsConnection: Sendable {
    private let pool: HTTP2Pool
    private let tokens: TokenCache?
    private let limit: Duration
    private let time: any TimeSource
    private let lastRenewal = Mutex<Duration?>(nil)
    private let failed = FailedConnections()

    init(_ pool: HTTP2Pool, tokens: TokenCache?, limit: Duration, resources: APNsResources) {
        self.pool = pool
        self.tokens = tokens
        self.limit = limit
        time = resources.time
    }

    func close() async {
        await pool.close(within: limit)
    }

    /// Sends each once; pushes whose token was refused are sent once more with the next one.
    func send(_ pushes: [Push], topic: String) async -> [PushOutcome] {
        var (outcomes, token) = await attempt(pushes, topic: topic)
        let refused = outcomes.indices.filter { outcomes[$0].wantsFreshToken }
        guard !refused.isEmpty, let token, let tokens, tokens.refuse(token) != .tooYoung else { return outcomes }
        let (second, _) = await attempt(refused.map { pushes[$0] }, topic: topic)
        for (position, outcome) in zip(refused, second) { outcomes[position] = outcome }
        return outcomes
    }

    private func attempt(_ pushes: [Push], topic: String) async -> ([PushOutcome], BearerToken?) {
        let token: BearerToken?
        do throws(TokenError) {
            token = try await tokens?.token()
        } catch {
            return (pushes.map { _ in .notSent(error.message) }, nil)
        }
        let started = time.uptime
        var form = APNsRequest(topic: topic, token: token, limit: limit)
        let responses = await pool.send(pushes.map { form.make($0, avoiding: failed.take($0.id)) })
        var outcomes: [PushOutcome] = []
        outcomes.reserveCapacity(pushes.count)
        var endsConnection = false
        for (push, response) in zip(pushes, responses) {
            let outcome = APNsAnswer.outcome(response)
            if case .answered(let answer) = response, answer.status >= 500 {
                failed.note(push.id, on: answer.connection)
            }
            if case .answered(let answer) = outcome, answer.endsConnection { endsConnection = true }
            outcomes.append(outcome)
        }
        if endsConnection { renewConnections(complainedOfAt: started) }
        return (outcomes, token)
    }

    /// Once for all complaints: one from before the last renewal concerns connections that are already closed.
    private func renewConnections(complainedOfAt moment: Duration) {
        let isNews = lastRenewal.withLock { last in
            if let last, moment <= last { return false }
            last = time.uptime
            return true
        }
        if isNews { pool.renewConnections() }
    }
}

extension PushOutcome {
    fileprivate var wantsFreshToken: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.verdict == .refreshAuthorization
    }
}
