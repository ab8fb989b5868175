import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Synchronization

/// The connections of one account to one of Apple's environments.
final class APNsLine: Sendable {
    struct Answers {
        var outcomes: [PushOutcome]
        /// What Apple asks of the whole app.
        var pause = Duration.zero
    }

    private let pool: HTTP2Pool
    private let tokens: TokenCache?
    private let limit: Duration
    private let time: any TimeSource
    private let lastRenewal = Mutex<Duration?>(nil)

    init(_ pool: HTTP2Pool, tokens: TokenCache?, limit: Duration, _ world: APNsWorld) {
        self.pool = pool
        self.tokens = tokens
        self.limit = limit
        time = world.time
    }

    func close() async {
        await pool.close(within: limit)
    }

    /// Sends each once, and those whose token was refused once more with the next one.
    func send(_ pushes: [Push], topic: String) async -> Answers {
        var (answers, token) = await attempt(pushes, topic)
        let refused = answers.outcomes.indices.filter { answers.outcomes[$0].wantsFreshToken }
        guard !refused.isEmpty, let token, let tokens, tokens.refuse(token) != .tooYoung else { return answers }
        let (second, _) = await attempt(refused.map { pushes[$0] }, topic)
        for (position, outcome) in zip(refused, second.outcomes) { answers.outcomes[position] = outcome }
        answers.pause = max(answers.pause, second.pause)
        return answers
    }

    private func attempt(_ pushes: [Push], _ topic: String) async -> (Answers, BearerToken?) {
        let token: BearerToken?
        do throws(TokenError) {
            token = try await tokens?.token()
        } catch {
            return (Answers(outcomes: pushes.map { _ in .notSent(error.message) }), nil)
        }
        let started = time.uptime
        var form = APNsRequest(topic: topic, token: token, limit: limit)
        let responses = await pool.send(pushes.map { form.make($0) })
        var answers = Answers(outcomes: [])
        answers.outcomes.reserveCapacity(pushes.count)
        var endsConnection = false
        for response in responses {
            let outcome = APNsAnswer.outcome(response)
            if case .answered(let answer) = outcome, answer.endsConnection { endsConnection = true }
            if case .answered(let response) = response, let pause = APNsAnswer.pause(response) {
                answers.pause = max(answers.pause, pause)
            }
            answers.outcomes.append(outcome)
        }
        if endsConnection { renewConnections(complainedOfAt: started) }
        return (answers, token)
    }

    /// Once for all who complain: who sent before the last renewal speaks of connections that are gone already.
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
