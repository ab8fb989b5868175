import HTTPClient
import ProviderKit
import ServiceKit
import Topics

/// Sends pushes to Huawei for one app: one request for up to a thousand devices with the same payload.
final class HuaweiGateway: PushGateway {
    private let url: String
    private let client: HTTPClient
    private let gate: TokenGate
    private let time: any TimeSource

    init(url: String, client: HTTPClient, tokens: TokenCache, gate: SendGate, time: any TimeSource) {
        self.url = url
        self.client = client
        self.gate = TokenGate(tokens: tokens, gate: gate)
        self.time = time
    }

    var inFlightMaximum: Int { gate.inFlightMaximum }

    func admit(_ count: Int, lane: Lane) async -> Admission {
        if let obstacle = await gate.obstacle() { return obstacle }
        return await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await gate.send(pushes) { await self.send($0, with: $1) }
    }

    private func send(_ pushes: [Push], with token: BearerToken) async -> TokenGate.Round {
        var whole = TokenGate.Round(outcomes: Array(repeating: .notSent(""), count: pushes.count))
        await withTaskGroup(of: (HuaweiBatch, TokenGate.Round).self) { group in
            for batch in HuaweiBatch.group(pushes) {
                group.addTask { (batch, await self.send(batch, of: pushes, with: token)) }
            }
            for await (batch, round) in group {
                for (position, outcome) in zip(batch.positions, round.outcomes) { whole.outcomes[position] = outcome }
                whole.pause = max(whole.pause, round.pause)
            }
        }
        return whole
    }

    /// The round's outcomes are in the order of the batch's positions.
    private func send(_ batch: HuaweiBatch, of pushes: [Push], with token: BearerToken) async -> TokenGate.Round {
        let request = HTTPClientRequest(
            .post, url: url, to: .trusted,
            headers: [
                .init("Content-Type", "application/json;charset=UTF-8"),
                .init("Authorization", "Bearer \(token.value.reveal())"),
            ], body: batch.body, responseBytesMaximum: HuaweiAnswer.bytesMaximum)
        switch await client.send(request) {
        case .notSent(let failure):
            return batch.all(failure.isOurs ? .misconfigured(failure.message) : .notSent(failure.message))
        case .unknown(let failure): return batch.all(.unknown(failure.message))
        case .answered(let response):
            guard let report = HuaweiAnswer.report(response) else {
                return batch.all(.unknown("the answer cannot be decoded"))
            }
            let retryAfter = HuaweiAnswer.retryAfter(response, now: time.now)
            let answers = batch.positions.map { position in
                HuaweiErrorTable.answer(
                    status: response.status, report, token: pushes[position].token, retryAfter: retryAfter)
            }
            return TokenGate.Round(outcomes: answers.map { .answered($0) }, pause: HuaweiGateway.pause(answers))
        }
    }

    private static func pause(_ answers: [ProviderAnswer]) -> Duration {
        guard case .throttled(.app, let advice)? = answers.first?.verdict else { return .zero }
        return advice.floor
    }
}

extension HuaweiBatch {
    fileprivate func all(_ outcome: PushOutcome) -> TokenGate.Round {
        TokenGate.Round(outcomes: positions.map { _ in outcome })
    }
}
