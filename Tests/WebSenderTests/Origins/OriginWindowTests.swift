import ProviderKit
import ServiceKit
import Testing

@testable import WebSender

@Suite struct OriginWindowTests {
    private let random = SeededRandomSource(seed: 5)
    private var settings: OriginSettings {
        var settings = OriginSettings()
        settings.inFlightMaximum = 16
        return settings
    }

    /// Lets pushes go and settles them alike, all at one time.
    private func send(
        _ outcome: PushOutcome, count: Int = 1, through window: inout OriginWindow, at now: Duration
    ) {
        guard case .go(let granted, let isProbe) = window.ask(count, mayProbe: true, at: now) else {
            Issue.record("\(count) pushes must be let go at \(now)")
            return
        }
        let outcomes = Array(repeating: outcome, count: granted)
        window.settle(outcomes, isProbe: isProbe, at: now, random: random)
    }

    private func isClosed(_ window: OriginWindow, at now: Duration) -> Bool {
        var window = window
        guard case .refused(.failing) = window.ask(1, mayProbe: true, at: now) else { return false }
        return true
    }

    @Test func eachAnswerLetsOneMoreGo() {
        var window = OriginWindow(settings)
        var granted: [Int] = []
        for _ in 0..<6 {
            guard case .go(let count, isProbe: false) = window.ask(100, mayProbe: true, at: .zero) else { break }
            granted.append(count)
            #expect(window.ask(1, mayProbe: true, at: .zero) == .wait)
            window.settle(
                Array(repeating: .delivered, count: count), isProbe: false, at: .zero, random: random)
        }
        #expect(granted == [1, 2, 4, 8, 16, 16])
    }

    @Test(arguments: [PushOutcome.notSent("connection refused"), .unknown("no answer")])
    func aServerThatDoesNotAnswerIsLeftAlone(failure: PushOutcome) {
        var window = OriginWindow(settings)
        for _ in 0..<2 { send(failure, through: &window, at: .zero) }
        #expect(!isClosed(window, at: .zero))
        send(.delivered, through: &window, at: .zero)
        for _ in 0..<2 { send(failure, through: &window, at: .zero) }
        #expect(!isClosed(window, at: .zero))
        send(failure, through: &window, at: .zero)
        #expect(isClosed(window, at: .zero))
        #expect(window.isUnremarkable(at: .zero) == false)
    }

    @Test func aServerOfErrorsIsLeftAloneLater() {
        var window = OriginWindow(settings)
        for _ in 0..<19 { send(.serverError, through: &window, at: .zero) }
        #expect(!isClosed(window, at: .zero))
        send(.serverError, through: &window, at: .zero)
        #expect(isClosed(window, at: .zero))
    }

    /// A device that is gone, or a push that is refused, is an answer.
    @Test(arguments: [
        ProviderAnswer.Verdict.invalidDevice(since: nil), .suspectDevice, .payloadRejected, .misconfigured,
    ])
    func refusalsAreNoFailures(verdict: ProviderAnswer.Verdict) {
        var window = OriginWindow(settings)
        for _ in 0..<100 {
            send(
                .answered(ProviderAnswer(verdict, reason: "", status: 400)), through: &window,
                at: .zero)
        }
        #expect(!isClosed(window, at: .zero))
    }

    /// What never left the process says nothing about the server.
    @Test func whatHappensHereSaysNothing() {
        var window = OriginWindow(settings)
        for _ in 0..<100 {
            send(.heldBack(.seconds(1), reason: "the queue is full"), through: &window, at: .zero)
            send(.unsendable("BadAddress"), through: &window, at: .zero)
        }
        #expect(!isClosed(window, at: .zero))
        guard case .go(1, isProbe: false) = window.ask(100, mayProbe: true, at: .zero) else {
            Issue.record("the window must not have grown")
            return
        }
    }

    /// Goal: a server that is down costs one push for each pause, and pauses double up to five minutes. Method: every
    /// probe fails, as soon as it is allowed.
    @Test func oneProbeFollowsEachPause() {
        var window = OriginWindow(settings)
        var now = Duration.zero
        for _ in 0..<3 { send(.notSent("down"), through: &window, at: now) }
        var pauses: [Duration] = []
        for _ in 0..<9 {
            guard case .refused(.failing(let pause)) = window.ask(10, mayProbe: true, at: now) else {
                Issue.record("the server must be left alone")
                return
            }
            pauses.append(pause)
            now += pause
            #expect(window.ask(10, mayProbe: false, at: now) == .refused(.failing(OriginRefusal.retry)))
            #expect(window.ask(10, mayProbe: true, at: now) == .go(1, isProbe: true))
            #expect(window.isProbing)
            #expect(window.ask(10, mayProbe: true, at: now) == .refused(.failing(OriginRefusal.retry)))
            window.settle([.unknown("no answer")], isProbe: true, at: now, random: random)
        }
        for (level, pause) in pauses.enumerated() {
            let ceiling = min(Duration.seconds(300), .seconds(5) * (1 << level))
            #expect(ceiling / 2 <= pause && pause <= ceiling, "pause \(level) lasts \(pause)")
        }
    }

    @Test func aGoodProbeStartsAnew() {
        var window = OriginWindow(settings)
        for _ in 0..<3 { send(.notSent("down"), through: &window, at: .zero) }
        send(.delivered, through: &window, at: .seconds(5))
        #expect(window.isUnremarkable(at: .seconds(5)))
        // Its window has begun to grow again.
        #expect(window.ask(100, mayProbe: true, at: .seconds(5)) == .go(2, isProbe: false))
    }

    /// A probe that could not be sent for a reason of this process is repeated.
    @Test func aProbeThatWasNotSentIsRepeated() {
        var window = OriginWindow(settings)
        for _ in 0..<3 { send(.notSent("down"), through: &window, at: .zero) }
        send(.heldBack(.seconds(1), reason: "no token"), through: &window, at: .seconds(5))
        #expect(window.ask(1, mayProbe: true, at: .seconds(5)) == .go(1, isProbe: true))
    }

    /// Goal: late failures of pushes that were in flight do not extend the pause, and a late success ends it.
    @Test func latePushesDoNotCountAsProbes() {
        var window = OriginWindow(settings)
        for _ in 0..<4 { send(.delivered, count: 8, through: &window, at: .zero) }
        #expect(window.ask(8, mayProbe: true, at: .zero) == .go(8, isProbe: false))
        window.settle(
            Array(repeating: .notSent("down"), count: 3), isProbe: false, at: .zero, random: random)
        guard case .refused(let refusal) = window.ask(1, mayProbe: true, at: .zero) else {
            Issue.record("three failures must suffice")
            return
        }
        window.settle(
            Array(repeating: .notSent("down"), count: 4), isProbe: false, at: .zero, random: random)
        #expect(window.ask(1, mayProbe: true, at: .zero) == .refused(refusal))
        window.settle([.delivered], isProbe: false, at: .zero, random: random)
        #expect(!isClosed(window, at: .zero))
    }

    @Test func aThrottledServerPauses() {
        var window = OriginWindow(settings)
        for _ in 0..<5 { send(.delivered, count: 16, through: &window, at: .zero) }
        send(.throttled(for: 30), count: 16, through: &window, at: .seconds(2))
        #expect(window.ask(1, mayProbe: true, at: .seconds(2)) == .refused(.throttled(.seconds(30))))
        #expect(window.ask(1, mayProbe: true, at: .seconds(31)) == .refused(.throttled(.seconds(1))))
        #expect(window.ask(100, mayProbe: true, at: .seconds(32)) == .go(8, isProbe: false))
        #expect(!isClosed(window, at: .seconds(32)))
    }

    /// A single device's limit does not stop a push service that delivers to all others.
    @Test func aFewThrottledDevicesDoNotPauseOthers() {
        var window = OriginWindow(settings)
        for _ in 0..<5 { send(.delivered, count: 16, through: &window, at: .zero) }
        send(.throttled(for: 30), through: &window, at: .zero)
        #expect(window.ask(100, mayProbe: true, at: .zero) == .go(16, isProbe: false))
    }

    /// The wait of a manual, without one in the answer, is the device's.
    @Test func onlyAnAskedWaitPauses() {
        var window = OriginWindow(settings)
        send(.throttled(for: 30, isAsked: false), through: &window, at: .zero)
        #expect(window.ask(1, mayProbe: true, at: .zero) == .go(1, isProbe: false))
    }

    /// Who would wait for a server that owes answers for long is sent away at once.
    @Test func pushesDoNotWaitForASlowServer() {
        var window = OriginWindow(settings)
        #expect(window.ask(1, mayProbe: true, at: .zero) == .go(1, isProbe: false))
        #expect(window.ask(1, mayProbe: true, at: .milliseconds(999)) == .wait)
        #expect(window.ask(1, mayProbe: true, at: .seconds(1)) == .refused(.busy(OriginRefusal.retry)))
    }
}
