import HTTPClient
import ProviderKit
import ServiceKit
import Topics

/// The way to Huawei for one app: a request for up to a thousand devices with the same payload.
final class HuaweiGateway: PushGateway {
    private let url: String
    private let client: HTTPClient
    private let tokens: TokenCache
    private let gate: SendGate
    private let time: any TimeSource

    init(url: String, client: HTTPClient, tokens: TokenCache, inFlightMaximum: Int, time: any TimeSource) {
        self.url = url
        self.client = client
        self.tokens = tokens
        gate = SendGate(SendWindow.Settings(ceiling: inFlightMaximum, patience: .seconds(10)), time: time)
        self.time = time
    }

    var inFlightMaximum: Int { gate.inFlightMaximum }

    /// Asks for the token first: without one nothing can be sent, and nothing need be claimed.
    func admit(_ count: Int, lane: Lane) async -> Admission {
        do throws(TokenError) {
            _ = try await tokens.token()
        } catch {
            return .withoutToken(error)
        }
        return await gate.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        gate.giveBack(count)
    }

    func send(_ pushes: [Push]) async -> [PushOutcome] {
        var outcomes = [PushOutcome](repeating: .notSent(""), count: pushes.count)
        var pause = Duration.zero
        await withTaskGroup(of: (HuaweiBatch, Round).self) { group in
            for batch in HuaweiBatch.group(pushes) {
                group.addTask { (batch, await self.send(batch, of: pushes)) }
            }
            for await (batch, round) in group {
                for (position, outcome) in zip(batch.positions, round.outcomes) { outcomes[position] = outcome }
                pause = max(pause, round.pause)
            }
        }
        gate.settle(outcomes, pause: pause)
        return outcomes
    }

    fileprivate struct Round {
        /// In the order of the batch's positions.
        let outcomes: [PushOutcome]
        /// What Huawei asks of the whole app.
        var pause = Duration.zero

        var isUnauthorized: Bool { outcomes.first?.isUnauthorized == true }
    }

    /// Once more with the next token when Huawei no longer takes this one; all who meet that share the renewal.
    private func send(_ batch: HuaweiBatch, of pushes: [Push]) async -> Round {
        do throws(TokenError) {
            let token = try await tokens.token()
            let round = await send(batch, of: pushes, with: token)
            guard round.isUnauthorized, tokens.refuse(token) != .tooYoung else { return round }
            return await send(batch, of: pushes, with: try await tokens.token())
        } catch {
            return batch.all(.withoutToken(error))
        }
    }

    private func send(_ batch: HuaweiBatch, of pushes: [Push], with token: BearerToken) async -> Round {
        let request = HTTPClientRequest(
            .post, url, to: .trusted,
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
                return batch.all(.unknown("an answer that cannot be read"))
            }
            let answers = batch.positions.map { position in
                HuaweiErrorTable.answer(status: response.status, report, token: pushes[position].token)
            }
            return Round(outcomes: answers.map { .answered($0) }, pause: pause(answers, response))
        }
    }

    private func pause(_ answers: [ProviderAnswer], _ response: HTTPClientResponse) -> Duration {
        guard case .throttled(.app, let advice)? = answers.first?.verdict else { return .zero }
        return HuaweiAnswer.retryAfter(response, now: time.now) ?? advice.floor
    }
}

extension HuaweiBatch {
    fileprivate func all(_ outcome: PushOutcome) -> HuaweiGateway.Round {
        HuaweiGateway.Round(outcomes: positions.map { _ in outcome })
    }
}
