import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@Suite struct FatePolicyTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func question(
        attempt: UInt8 = 0, isStored: Bool = true, deadline: Duration = .seconds(3_600)
    ) -> FateQuestion {
        FateQuestion(
            attempt: attempt, registered: now, isStored: isStored, repeatsUnknown: true, now: now,
            deadline: now + deadline, verdict: .keep)
    }

    private func fate(of outcome: PushOutcome, _ question: FateQuestion) -> DeviceFate {
        FatePolicy().fate(of: outcome, question, random: SeededRandomSource(seed: 1))
    }

    /// It may have been delivered: to report it as failed or expired would be a guess.
    @Test func whatCannotBeRepeatedStaysUnknown() {
        let unknown = DeviceFate.ended(.unknown, status: 0, reason: "cut off")
        #expect(fate(of: .unknown("cut off"), question(isStored: false)) == unknown)
        #expect(fate(of: .unknown("cut off"), question(attempt: .max)) == unknown)
        #expect(fate(of: .unknown("cut off"), question(deadline: .milliseconds(1))) == unknown)
        #expect(fate(of: .unknown("cut off"), question()) != unknown)
    }

    @Test func whatWasRefusedFailsOrExpires() {
        let busy = PushOutcome.answered(ProviderAnswer(.retryLater(.soon), reason: "Busy", status: 503))
        #expect(fate(of: busy, question(isStored: false)) == .ended(.failed, status: 503, reason: "Busy"))
        #expect(
            fate(of: busy, question(deadline: .milliseconds(1))) == .ended(.expired, status: 503, reason: "Busy"))
    }
}
