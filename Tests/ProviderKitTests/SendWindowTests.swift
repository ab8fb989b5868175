import ProviderKit
import ServiceKit
import Testing

@Suite struct SendWindowTests {
    private let settings = SendWindow.Settings(ceiling: 100, patience: .seconds(3))

    private func delivered(_ count: Int) -> [PushOutcome] {
        Array(repeating: .answered(.delivered), count: count)
    }

    private func refused(_ count: Int, verdict: ProviderAnswer.Verdict) -> [PushOutcome] {
        Array(repeating: .answered(ProviderAnswer(verdict, reason: "", status: 429)), count: count)
    }

    @Test func aWindowsWorthGoes() {
        var window = SendWindow(settings)
        #expect(window.ask(64, at: .zero) == .go(64))
        #expect(window.ask(36, at: .zero) == .go(36))
        #expect(window.ask(1, at: .zero) == .wait)
        window.begin(36, at: .zero)
        window.settle(delivered(36), pause: .zero, at: .seconds(1))
        #expect(window.ask(1, at: .seconds(1)) == .go(1))
    }

    /// Small parts would cost as much as whole batches.
    @Test func aBatchWaitsUntilItFits() {
        var window = SendWindow(settings)
        #expect(window.ask(64, at: .zero) == .go(64))
        #expect(window.ask(64, at: .zero) == .wait)
        window.giveBack(14)
        #expect(window.ask(64, at: .zero) == .go(50))
    }

    @Test func aSilentProviderIsAskedByOne() {
        var window = SendWindow(settings)
        #expect(window.ask(10, at: .seconds(100)) == .go(10))
        window.begin(10, at: .seconds(100))
        #expect(window.ask(10, at: .seconds(102)) == .go(10))
        window.begin(10, at: .seconds(102))
        #expect(window.ask(10, at: .seconds(103)) == .silent)
        // The outcome of these pushes is unknown, which proves nothing about the provider.
        window.settle(Array(repeating: .unknown("late"), count: 20), pause: .zero, at: .seconds(110))
        #expect(window.ask(10, at: .seconds(110)) == .go(1))
        // The probe has its own time limit before the provider counts as silent again.
        #expect(window.ask(10, at: .seconds(110)) == .wait)
        window.begin(1, at: .seconds(110))
        #expect(window.ask(10, at: .seconds(112)) == .wait)
        #expect(window.ask(10, at: .seconds(113)) == .silent)
        window.settle(delivered(1), pause: .zero, at: .seconds(114))
        #expect(window.ask(10, at: .seconds(114)) == .go(10))
    }

    /// Otherwise the next window of pushes would time out as well.
    @Test func aProviderWhoseRequestsAllTimedOutIsSilentWithoutAQuery() {
        var window = SendWindow(settings)
        #expect(window.ask(100, at: .zero) == .go(100))
        window.begin(100, at: .zero)
        window.settle(Array(repeating: .unknown("late"), count: 100), pause: .zero, at: .seconds(15))
        #expect(window.ask(100, at: .seconds(15)) == .go(1))
    }

    /// Devices still being claimed, or claimed by another sender, are not waiting for the provider's answer.
    @Test func whatIsNotSentOwesNoAnswer() {
        var window = SendWindow(settings)
        #expect(window.ask(10, at: .zero) == .go(10))
        #expect(window.ask(10, at: .seconds(60)) == .go(10))
    }

    @Test func answersKeepItFromSilence() {
        var window = SendWindow(settings)
        #expect(window.ask(10, at: .zero) == .go(10))
        window.begin(10, at: .zero)
        window.settle(delivered(1), pause: .zero, at: .seconds(2))
        #expect(window.ask(10, at: .seconds(4)) == .go(10))
    }

    @Test func aPauseThatIsAskedForIsKept() {
        var window = SendWindow(settings)
        #expect(window.ask(1, at: .zero) == .go(1))
        window.begin(1, at: .zero)
        window.settle(refused(1, verdict: .retryLater(.soon)), pause: .seconds(30), at: .seconds(1))
        #expect(window.ask(1, at: .seconds(11)) == .pause(.seconds(20)))
        #expect(window.ask(1, at: .seconds(31)) == .go(1))
    }

    /// Goal: a `Retry-After` for a few devices applies to them alone, whatever the order of answers; one for most
    /// devices applies to the app. Method: batches with a few errors continue immediately; errors alone pause the app,
    /// until answers in flight show that most are good.
    @Test func aRetryAfterOfAFewDevicesPausesNoOthers() {
        let asked = refused(25, verdict: .retryLater(RetryAdvice(floor: .seconds(300), isAsked: true)))
        var window = SendWindow(SendWindow.Settings(ceiling: 2_000))
        #expect(window.ask(2_000, at: .zero) == .go(2_000))
        window.begin(2_000, at: .zero)
        window.settle(delivered(1_975), pause: .zero, at: .milliseconds(100))
        window.settle(asked, pause: .zero, at: .milliseconds(200))
        #expect(window.ask(25, at: .milliseconds(200)) == .go(25))

        var other = SendWindow(SendWindow.Settings(ceiling: 2_000))
        #expect(other.ask(100, at: .zero) == .go(100))
        other.begin(100, at: .zero)
        other.settle(asked, pause: .zero, at: .milliseconds(100))
        #expect(other.ask(25, at: .milliseconds(100)) == .pause(.seconds(300)))
        other.settle(delivered(75), pause: .zero, at: .milliseconds(200))
        #expect(other.ask(25, at: .milliseconds(200)) == .go(25))
    }

    /// Answers older than a second no longer count.
    @Test func mostOfTheLastSecondsAnswersPauseTheApp() {
        var window = SendWindow(SendWindow.Settings(ceiling: 2_000))
        #expect(window.ask(1_100, at: .zero) == .go(1_100))
        window.begin(1_100, at: .zero)
        window.settle(delivered(1_000), pause: .zero, at: .milliseconds(100))
        let asked = refused(100, verdict: .retryLater(RetryAdvice(floor: .seconds(30), isAsked: true)))
        window.settle(asked, pause: .zero, at: .milliseconds(1_200))
        #expect(window.ask(1, at: .milliseconds(1_200)) == .pause(.seconds(30)))
    }

    @Test func aFewBusyDevicesDoNotSlowAnApp() {
        var window = SendWindow(settings)
        #expect(window.ask(100, at: .zero) == .go(100))
        window.begin(100, at: .zero)
        let few = refused(5, verdict: .throttled(.device, RetryAdvice(floor: .seconds(60))))
        window.settle(few + delivered(95), pause: .zero, at: .seconds(1))
        #expect(window.inFlightMaximum == 100)
        #expect(window.ask(100, at: .seconds(2)) == .go(100))
        window.begin(100, at: .seconds(2))
        window.settle(few + delivered(15), pause: .zero, at: .seconds(2))
        #expect(window.inFlightMaximum == 50)
    }

    @Test func aThrottledAppIsSlowedByOneAnswer() {
        var window = SendWindow(settings)
        #expect(window.ask(100, at: .zero) == .go(100))
        window.begin(100, at: .zero)
        window.settle(delivered(99) + refused(1, verdict: .throttled(.app, .soon)), pause: .zero, at: .seconds(1))
        #expect(window.inFlightMaximum == 50)
    }
}
