import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import Synchronization

/// The connections of one account to one of Apple's hosts.
final class APNsConnection: Sendable {
    private let pool: HTTP2Pool
    private let limit: Duration
    private let time: any TimeSource
    private let lastRenewal = Mutex<Duration?>(nil)
    private let failed = FailedConnections()

    init(_ pool: HTTP2Pool, limit: Duration, time: any TimeSource) {
        self.pool = pool
        self.limit = limit
        self.time = time
    }

    func close() async {
        await pool.close(within: limit)
    }

    /// Sends each once.
    func send(_ pushes: [Push], topic: String, token: BearerToken?) async -> [PushOutcome] {
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
        return outcomes
    }

    /// A request that is no push.
    func call(_ request: HTTP2Request) async -> HTTP2Outcome {
        let started = time.uptime
        let outcome = await pool.send(request)
        if case .answered(let response) = outcome, APNsAnswer.answer(response).endsConnection {
            renewConnections(complainedOfAt: started)
        }
        return outcome
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
