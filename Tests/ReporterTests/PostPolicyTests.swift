import HTTPClient
import ServiceKit
import Testing

@testable import Reporter

@Suite struct PostPolicyTests {
    private let closed = Timestamp(milliseconds: 1_767_225_600_000)
    private let policy = PostPolicy(patience: .seconds(86_400))

    private func verdict(_ outcome: HTTPClientOutcome, after waited: Duration) -> PostPolicy.Verdict {
        policy.verdict(on: outcome, closed: closed, now: closed + waited, random: SeededRandomSource(seed: 1))
    }

    private func wait(after waited: Duration, advice: String? = nil) -> Duration? {
        let headers = advice.map { [HTTPClientRequest.Header("Retry-After", $0)] } ?? []
        let answer = HTTPClientResponse(status: 503, headers: headers)
        guard case .again(let due, _) = verdict(.answered(answer), after: waited) else { return nil }
        return due - (closed + waited)
    }

    @Test(arguments: [200, 201, 204, 299])
    func onlyATwoHundredIsTaken(status: Int) {
        #expect(verdict(.answered(HTTPClientResponse(status: status)), after: .zero) == .delivered)
    }

    @Test(arguments: [100, 300, 302, 304, 400, 401, 404, 410, 429, 500, 503])
    func anythingElseIsTriedAgain(status: Int) {
        let verdict = verdict(.answered(HTTPClientResponse(status: status)), after: .zero)
        guard case .again(_, let reason) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(reason == "status \(status)")
    }

    @Test(arguments: HTTPClientError.Code.allCases)
    func withoutAnAnswerItIsTriedAgain(code: HTTPClientError.Code) {
        for outcome in [
            HTTPClientOutcome.notSent(HTTPClientError(code, message: "x")),
            .unknown(HTTPClientError(code, message: "x")),
        ] {
            guard case .again = verdict(outcome, after: .zero) else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test func pausesGrowWithTheWaitAndHaveBounds() throws {
        for (waited, most) in [(0, 5), (4, 5), (60, 60), (600, 600), (7_200, 1_800)] {
            let pause = try #require(wait(after: .seconds(waited)))
            #expect(Duration.milliseconds(most * 500) ... .seconds(most) ~= pause, "\(waited): \(pause)")
        }
    }

    @Test func adviceCountsUntilPatienceEnds() {
        #expect(wait(after: .seconds(10), advice: "3000") == .seconds(3_000))
        #expect(wait(after: .seconds(86_000), advice: "3000") == .seconds(400))
        #expect(wait(after: .seconds(10), advice: "soon") != nil)
        #expect(wait(after: .seconds(86_400)) == nil)
    }
}
