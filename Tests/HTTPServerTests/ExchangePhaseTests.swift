import Testing

@testable import HTTPServer

@Suite struct ExchangePhaseTests {
    @Test func anAnswerResumesOnceAndIsSent() {
        var phase = ExchangePhase.receiving
        guard case .handle = phase.step() else {
            Issue.record("not handled")
            return
        }
        let isResumed = phase.answer(.text("a"))
        #expect(isResumed)
        guard case .nothing = phase.abandon() else {
            Issue.record("resumed twice")
            return
        }
        guard case .close = phase.step() else {
            Issue.record("sent after it was given up")
            return
        }
    }

    @Test func anAnswerAfterTheEndResumesNothing() {
        var phase = ExchangePhase.receiving
        _ = phase.step()
        guard case .resume = phase.abandon() else {
            Issue.record("left suspended")
            return
        }
        let isResumed = phase.answer(.text("a"))
        #expect(!isResumed)
    }

    @Test func aRefusalIsSentInsteadOfHandling() {
        var phase = ExchangePhase.receiving
        phase.refuse(HTTPResponse(.badRequest))
        guard case .send(let response) = phase.step() else {
            Issue.record("not sent")
            return
        }
        #expect(response.status == .badRequest)
    }

    /// Given up before its body was complete: the handler is never called and nothing is suspended.
    @Test func aRequestGivenUpBeforeItsEndIsClosed() {
        var phase = ExchangePhase.receiving
        guard case .nothing = phase.abandon(), case .close = phase.step() else {
            Issue.record("went on")
            return
        }
    }

    @Test func givingUpCutsAStream() {
        var phase = ExchangePhase.receiving
        _ = phase.step()
        let stream = HTTPStream()
        _ = phase.answer(HTTPResponse(.ok, body: .stream(stream)))
        _ = phase.step()
        guard case .cut(let found) = phase.abandon() else {
            Issue.record("not cut")
            return
        }
        #expect(found === stream)
    }
}
