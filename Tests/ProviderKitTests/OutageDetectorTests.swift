import ProviderKit
import ServiceKit
import Testing

@Suite struct OutageDetectorTests {
    private let failure = PushOutcome.answered(
        ProviderAnswer(.retryLater(.soon), reason: "Unavailable", status: 503))
    private let delivered = PushOutcome.answered(ProviderAnswer(.delivered, reason: "", status: 200))
    private let busy = PushOutcome.answered(ProviderAnswer(.throttled(.device, .soon), reason: "Busy", status: 429))
    private let lost = PushOutcome.unknown("cut")

    private func batch(_ outcomes: [PushOutcome], isOneRequest: Bool = false) -> OutageDetector.Batch {
        OutageDetector.Batch(outcomes, isOneRequest: isOneRequest)
    }

    private func times(_ outcome: PushOutcome, count: Int) -> [PushOutcome] {
        Array(repeating: outcome, count: count)
    }

    /// A burst of failures passes quickly; lasting failures are an outage.
    @Test func failuresInARowAreAnOutageWhenTheyLast() {
        var detector = OutageDetector()
        #expect(detector.note(batch(times(failure, count: 64)), at: .seconds(10)) == false)
        #expect(detector.note(batch(times(failure, count: 64)), at: .milliseconds(10_900)) == false)
        #expect(detector.note(batch(times(failure, count: 64)), at: .milliseconds(11_000)) == true)
    }

    @Test func aFewFailuresAreNoOutageHoweverLongTheyLast() {
        var detector = OutageDetector()
        for second in 0..<19 { #expect(detector.note(batch([failure]), at: .seconds(second * 10)) == false) }
        #expect(detector.note(batch([failure]), at: .seconds(190)) == true)
    }

    @Test func oneGoodAnswerBeginsTheRowAnew() {
        var detector = OutageDetector()
        for second in 0..<19 { _ = detector.note(batch([failure]), at: .seconds(second * 10)) }
        #expect(detector.note(batch([busy]), at: .seconds(189)) == false)
        #expect(detector.note(batch([failure]), at: .seconds(200)) == false)
    }

    /// A provider may be failing even if half of its answers are good.
    @Test func mostFailuresAreAnOutage() {
        var detector = OutageDetector()
        var hasBegun = false
        for step in 0..<30 where !hasBegun {
            let outcomes = times(failure, count: 40) + times(delivered, count: 24)
            hasBegun = detector.note(batch(outcomes), at: .milliseconds(step * 100))
        }
        #expect(hasBegun)
        var healthy = OutageDetector()
        for step in 0..<100 {
            let outcomes = times(failure, count: 24) + times(delivered, count: 40)
            #expect(healthy.note(batch(outcomes), at: .milliseconds(step * 100)) == false)
        }
    }

    /// All pushes of a broken connection, and all devices of one request, fail together.
    @Test func whatFailsTogetherIsOneFailure() {
        #expect(batch(times(lost, count: 64)) == OutageDetector.Batch(answers: 1, failures: 1))
        #expect(batch(times(failure, count: 256), isOneRequest: true) == OutageDetector.Batch(answers: 1, failures: 1))
        #expect(batch([failure, delivered], isOneRequest: true) == OutageDetector.Batch(answers: 1, failures: 0))
        #expect(batch(times(lost, count: 3) + [delivered]) == OutageDetector.Batch(answers: 1, failures: 0))
        #expect(batch([]) == OutageDetector.Batch(answers: 0, failures: 0))
        var detector = OutageDetector()
        for step in 0..<16 {
            #expect(detector.note(batch(times(lost, count: 64)), at: .milliseconds(step * 100)) == false)
        }
    }
}
