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
        await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await gate.send(pushes) { await self.send($0, with: $1) }
    }

    private func send(_ pushes: [Push], with token: BearerToken?) async -> SendRound {
        var whole = SendRound(outcomes: Array(repeating: .notSent(""), count: pushes.count))
        await withTaskGroup(of: (HuaweiBatch, SendRound).self) { group in
            for batch in HuaweiBatch.group(pushes) {
                group.addTask { (batch, await self.send(batch, of: pushes, with: token)) }
            }
            for await (batch, round) in group { whole.replace(batch.positions, with: round) }
        }
        return whole
    }

    /// The round's outcomes are in the order of the batch's positions.
    private func send(_ batch: HuaweiBatch, of pushes: [Push], with token: BearerToken?) async -> SendRound {
        var request = HTTPClientRequest(
            .post, url: url, to: .trusted, headers: [.init("Content-Type", "application/json;charset=UTF-8")],
            body: batch.body, responseBytesMaximum: HuaweiAnswer.bytesMaximum)
        if let token { request.headers.append(.init("Authorization", token.authorization)) }
        switch await client.send(request) {
        case .notSent(let failure): return batch.all(.unsent(failure))
        case .unknown(let failure): return batch.all(.unknown(failure.message))
        case .answered(let response):
            guard let report = HuaweiAnswer.report(response) else {
                return batch.all(.unknown("the answer cannot be decoded"))
            }
            let retryAfter = response.retryAfter(now: time.now)
            var round = SendRound()
            round.outcomes.reserveCapacity(batch.positions.count)
            for position in batch.positions {
                round.add(
                    HuaweiErrorTable.answer(
                        status: response.status, report, token: pushes[position].token, retryAfter: retryAfter))
            }
            return round
        }
    }
}

extension HuaweiBatch {
    fileprivate func all(_ outcome: PushOutcome) -> SendRound {
        SendRound(outcomes: positions.map { _ in outcome })
    }
}
