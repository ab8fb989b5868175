import ProviderKit
import ServiceKit
import Testing

@Suite struct AnswerTableTests {
    private let table = AnswerTable([
        .init(200, word: "dropped", .payloadRejected, why: "not wanted"),
        .init(200, .delivered, why: "accepted"),
        .init(429, .throttled(.device, RetryAdvice(floor: .seconds(60))), why: "too many"),
        .init(400...499, .payloadRejected, why: "wrong"),
        .init(503, .retryLater(RetryAdvice(floor: .seconds(5))), why: "overloaded"),
    ])

    @Test func theFirstRowThatMatchesDecides() {
        #expect(table.answer(status: 200, word: "dropped").verdict == .payloadRejected)
        #expect(table.answer(status: 200, word: "received").verdict == .delivered)
        #expect(table.answer(status: 429).verdict == .throttled(.device, RetryAdvice(floor: .seconds(60))))
        #expect(table.answer(status: 428).verdict == .payloadRejected)
    }

    /// An answer that no row knows is hardly the provider's.
    @Test func anUnknownAnswerIsTriedAgain() {
        #expect(table.answer(status: 302).verdict == .retryLater(.soon))
        #expect(AnswerTable([], otherwise: .payloadRejected).answer(status: 302).verdict == .payloadRejected)
    }

    @Test func theWaitOfAnAnswerTakesPrecedence() {
        let asked = RetryAdvice(floor: .seconds(9), isAsked: true)
        #expect(table.answer(status: 429, retryAfter: .seconds(9)).verdict == .throttled(.device, asked))
        #expect(table.answer(status: 503, retryAfter: .seconds(9)).verdict == .retryLater(asked))
        #expect(table.answer(status: 404, retryAfter: .seconds(9)).verdict == .payloadRejected)
    }

    /// A gateway without the server behind it may have passed the push on; a provider that explains itself did not.
    @Test func anUnexplainedFailureMayHaveBeenProcessed() {
        #expect(table.answer(status: 503).mayBeProcessed)
        #expect(!table.answer(status: 503, reason: "busy").mayBeProcessed)
        #expect(table.answer(status: 500, reason: "busy").mayBeProcessed)
        #expect(!table.answer(status: 404).mayBeProcessed)
        #expect(table.answer(status: 503, word: "x").reason == "x")
    }
}
