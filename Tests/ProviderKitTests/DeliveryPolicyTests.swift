import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@Suite struct DeliveryPolicyTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func question(
        attempt: UInt8 = 0, isStored: Bool = true, repeatsUnknown: Bool = true, deadline: Duration = .seconds(3_600),
        registered: Timestamp? = nil, verdict: DeletionBreaker.Verdict = .keep
    ) -> DeliveryAttempt {
        DeliveryAttempt(
            number: attempt, attempted: now, registered: registered ?? now, isStored: isStored,
            repeatsUnknown: repeatsUnknown, now: now, deadline: now + deadline, verdict: verdict)
    }

    private func decision(of outcome: PushOutcome, _ question: DeliveryAttempt) -> DeliveryDecision {
        DeliveryPolicy().decision(of: outcome, question, random: SeededRandomSource(seed: 1))
    }

    /// The push may have been delivered: `failed` or `expired` would be a guess.
    @Test func whatCannotBeRepeatedStaysUnknown() {
        let unknown = DeliveryDecision.ended(.unknown, status: 0, reason: "cut off")
        #expect(decision(of: .unknown("cut off"), question(isStored: false)) == unknown)
        #expect(decision(of: .unknown("cut off"), question(attempt: .max)) == unknown)
        #expect(decision(of: .unknown("cut off"), question(deadline: .milliseconds(1))) == unknown)
        #expect(decision(of: .unknown("cut off"), question()) != unknown)
    }

    /// Goal: only a device that will be deleted is reported as removed. Method: one registered before the attempt and
    /// one in the same second, whose order the registry cannot determine; with and without the provider's time.
    @Test(arguments: [nil, Timestamp(milliseconds: 1_700_000_100_000)])
    func aDeviceRegisteredInTheSecondOfTheAttemptIsNotCalledRemoved(since: Timestamp?) {
        let gone = PushOutcome.answered(
            ProviderAnswer(.invalidDevice(since: since), reason: "Unregistered", status: 410))
        let before = question(registered: now + .milliseconds(-1), verdict: .remove)
        #expect(decision(of: gone, before) == .ended(.invalidRemoved, status: 410, reason: "Unregistered"))
        let same = question(registered: now + .milliseconds(999), verdict: .remove)
        #expect(decision(of: gone, same) == .ended(.invalid, status: 410, reason: "Unregistered"))
    }

    /// Goal: an answer that proves little is at most counted, and only while the breaker lets proven ones count.
    @Test func aSuspectDeviceIsCountedAndNotRemoved() {
        let suspect = PushOutcome.answered(ProviderAnswer(.suspectDevice, reason: "", status: 404))
        let before = now + .milliseconds(-1)
        for (verdict, isCounted) in [(DeletionBreaker.Verdict.remove, true), (.count, true), (.keep, false)] {
            let decision = decision(of: suspect, question(registered: before, verdict: verdict))
            #expect(decision == .ended(.invalid, status: 404, reason: "", isCounted: isCounted))
        }
        let same = decision(of: suspect, question(registered: now, verdict: .remove))
        #expect(same == .ended(.invalid, status: 404, reason: ""))
    }

    /// A push that was not tried costs no attempt, whether or not its provider stores it.
    @Test(arguments: [true, false]) func aPushThatIsHeldBackWaits(isStored: Bool) {
        let outcome = PushOutcome.heldBack(.seconds(90), reason: "down")
        let waiting = DeliveryDecision.waiting(attempt: 3, due: now + .seconds(90), status: 0, reason: "down")
        #expect(decision(of: outcome, question(attempt: 3, isStored: isStored)) == waiting)
        let late = decision(of: outcome, question(attempt: 3, isStored: isStored, deadline: .seconds(90)))
        #expect(late == .ended(.expired, status: 0, reason: "down"))
    }

    /// A failed server may have passed the push on before it failed.
    @Test func anAnswerThatMayHaveBeenProcessedIsNoRefusal() {
        let failure = PushOutcome.answered(
            ProviderAnswer(.retryLater(.soon), reason: "Internal", status: 500, mayBeProcessed: true))
        let unknown = DeliveryDecision.ended(.unknown, status: 500, reason: "Internal")
        #expect(decision(of: failure, question(repeatsUnknown: false)) == unknown)
        #expect(decision(of: failure, question(isStored: false)) == unknown)
        #expect(decision(of: failure, question(deadline: .milliseconds(1))) == unknown)
        guard case .waiting(attempt: 1, _, status: 500, reason: "Internal") = decision(of: failure, question()) else {
            Issue.record("a task that allows repeats must be sent again")
            return
        }
        let refusal = PushOutcome.answered(ProviderAnswer(.retryLater(.soon), reason: "Busy", status: 503))
        guard case .waiting = decision(of: refusal, question(repeatsUnknown: false)) else {
            Issue.record("retrying a refused push cannot repeat a delivery")
            return
        }
    }

    @Test func whatWasRefusedFailsOrExpires() {
        let busy = PushOutcome.answered(ProviderAnswer(.retryLater(.soon), reason: "Busy", status: 503))
        #expect(decision(of: busy, question(isStored: false)) == .ended(.failed, status: 503, reason: "Busy"))
        #expect(
            decision(of: busy, question(deadline: .milliseconds(1))) == .ended(.expired, status: 503, reason: "Busy"))
    }
}
