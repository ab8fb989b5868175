import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite struct SendRoundTests {
    private static let delivered = ProviderAnswer(.delivered, reason: "", status: 200)

    @Test func theLongestPauseOfTheAppCounts() {
        var round = SendRound()
        for (throttle, seconds) in [(ProviderAnswer.Throttle.app, 5), (.device, 60), (.app, 3)] {
            let advice = RetryAdvice(floor: .seconds(seconds))
            round.add(ProviderAnswer(.throttled(throttle, advice), reason: "", status: 429))
        }
        #expect(round.outcomes.count == 3)
        #expect(round.pause == .seconds(5))
        var again = SendRound()
        again.add(SendRoundTests.delivered)
        round.replace([1], with: again)
        #expect(round.outcomes[1] == .answered(SendRoundTests.delivered))
        #expect(round.pause == .seconds(5))
    }

    /// Retrying does not help against an error of the settings.
    @Test func aFailureBeforeTheRequestIsRetriedOrHaltsTheApp() {
        #expect(PushOutcome.unsent(HTTP2Error(.unreachable, message: "down")) == .notSent("down"))
        #expect(PushOutcome.unsent(HTTPClientError(.unreachable, message: "down")) == .notSent("down"))
        let mistake = PushOutcome.answered(ProviderAnswer(.misconfigured, reason: "no file", status: 0))
        #expect(PushOutcome.unsent(HTTP2Error(.misconfigured, message: "no file")) == mistake)
        #expect(PushOutcome.unsent(HTTPClientError(.untrusted, message: "no file")) == mistake)
    }

    @Test func withoutATokenNothingIsTried() async {
        let cache = TokenCache(time: ManualTimeSource(), random: SeededRandomSource(seed: 1)) {
            () async throws(TokenError) in
            throw TokenError(.refused, message: "wrong key")
        }
        let round = await cache.send(pushes(2), withoutToken: { .notSent($0.message) }) { _, _ in
            Issue.record("nothing can be sent without a token")
            return SendRound()
        }
        #expect(round.outcomes == [.notSent("wrong key"), .notSent("wrong key")])
    }

    /// Goal: only the pushes whose token was refused go again, once, with the next token. Method: the first token is
    /// refused for the second of three pushes, and the next one always.
    @Test func refusedPushesGoOnceMore() async throws {
        let time = ManualTimeSource()
        let issued = Monitor(0)
        let cache = TokenCache(time: time, random: SeededRandomSource(seed: 1)) { () async throws(TokenError) in
            let number = issued.change { issued in
                issued += 1
                return issued
            }
            return IssuedToken(Secret("token-\(number)"), window: .apns())
        }
        _ = try await cache.token()
        time.advance(by: .seconds(21 * 60))
        let tried = Monitor<[[String]]>([])
        let refusal = ProviderAnswer(.refreshAuthorization, reason: "expired", status: 401)
        let round = await cache.send(pushes(3), withoutToken: { .notSent($0.message) }) { pushes, token in
            tried.change { $0.append(pushes.map { "\($0.token) \(token.value.reveal())" }) }
            var round = SendRound()
            for push in pushes { round.add(push.token == "1" ? refusal : SendRoundTests.delivered) }
            return round
        }
        #expect(tried.withLock { $0 } == [["0 token-1", "1 token-1", "2 token-1"], ["1 token-2"]])
        #expect(
            round.outcomes == [
                .answered(SendRoundTests.delivered), .answered(refusal), .answered(SendRoundTests.delivered),
            ])
    }

    private func pushes(_ count: Int) -> [Push] {
        let variant = RenderedVariant(
            kind: .fcm, priority: .high, pushType: "", collapseID: "", expiration: 0,
            payload: PayloadTemplate(Array("{}".utf8)))
        let content = PushContent(variant)
        return (0..<count).map { number in
            Push(
                id: TaskID(high: 1, low: UInt64(number)), token: "\(number)", isSandbox: false, content: content,
                badge: 0)
        }
    }
}
