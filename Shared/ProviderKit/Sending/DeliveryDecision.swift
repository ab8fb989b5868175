package import PushModel
package import ServiceKit

/// The result for a device after a send attempt, decided without side effects.
package enum DeliveryDecision: Hashable, Sendable {
    /// `isCounted` marks a failure that counts against the device.
    case ended(DeliveryState, status: UInt16, reason: String, isCounted: Bool = false)
    case waiting(attempt: UInt8, due: Timestamp, status: UInt16, reason: String)
}

/// Input of the decision besides the outcome.
package struct DeliveryAttempt: Sendable {
    package let number: UInt8
    /// When the push was sent to the provider.
    package let attempted: Timestamp
    /// When the device was last registered.
    package let registered: Timestamp
    /// True if the provider stores the push while the device is offline; if not, there is one attempt.
    package let isStored: Bool
    package let repeatsUnknown: Bool
    package let now: Timestamp
    package let deadline: Timestamp
    /// The breaker's verdict on an invalid device without a timestamp.
    package let verdict: DeletionBreaker.Verdict
    /// True if devices are kept while the credentials of their app are refused.
    package var waitsForCredentials = true

    package init(
        number: UInt8, attempted: Timestamp, registered: Timestamp, isStored: Bool, repeatsUnknown: Bool,
        now: Timestamp, deadline: Timestamp, verdict: DeletionBreaker.Verdict
    ) {
        self.number = number
        self.attempted = attempted
        self.registered = registered
        self.isStored = isStored
        self.repeatsUnknown = repeatsUnknown
        self.now = now
        self.deadline = deadline
        self.verdict = verdict
    }
}

package struct DeliveryPolicy: Sendable {
    /// How long devices of an app that cannot send are parked before the next attempt.
    package static let parking = Duration.seconds(60)
    private let schedule: RetrySchedule

    package init(_ schedule: RetrySchedule = .standard) {
        self.schedule = schedule
    }

    package func decision(
        of outcome: PushOutcome, _ attempt: DeliveryAttempt, random: any RandomSource
    ) -> DeliveryDecision {
        switch outcome {
        case .answered(let answer): decision(of: answer, attempt: attempt, random: random)
        // Nothing was sent, so the attempt does not count, and a message without storage keeps its one attempt.
        case .notSent(let reason):
            waiting(attempt, number: attempt.number, advice: .soon, status: 0, reason: reason, random: random)
        case .heldBack(let pause, let reason): aside(attempt, for: pause, reason: reason)
        case .unknown(let reason): repeated(attempt, advice: .soon, status: 0, reason: reason, random: random)
        }
    }

    /// Parks the device unsent: the app cannot send, or must not for a while.
    package func aside(_ attempt: DeliveryAttempt, for pause: Duration, reason: String) -> DeliveryDecision {
        let due = attempt.now + pause
        guard due < attempt.deadline else { return .ended(.expired, status: 0, reason: reason) }
        return .waiting(attempt: attempt.number, due: due, status: 0, reason: reason)
    }

    private func decision(
        of answer: ProviderAnswer, attempt: DeliveryAttempt, random: any RandomSource
    ) -> DeliveryDecision {
        let (status, reason) = (answer.status, answer.reason)
        switch answer.verdict {
        case .delivered: return .ended(.delivered, status: status, reason: reason)
        case .payloadRejected: return .ended(.failed, status: status, reason: reason)
        case .invalidDevice(let since):
            let verdict = removal(attempt, since: since)
            return .ended(
                verdict == .remove ? .invalidRemoved : .invalid, status: status, reason: reason,
                isCounted: verdict == .count)
        case .suspectDevice:
            // One such answer proves less than the breaker's verdict on a proven one.
            return .ended(
                .invalid, status: status, reason: reason, isCounted: removal(attempt, since: nil) != .keep)
        case .retryLater(let advice) where answer.mayBeProcessed:
            return repeated(attempt, advice: advice, status: status, reason: reason, random: random)
        case .retryLater(let advice), .throttled(_, let advice):
            return again(attempt, advice: advice, status: status, reason: reason, random: random)
        case .refreshAuthorization, .misconfigured:
            guard attempt.waitsForCredentials else { return .ended(.failed, status: status, reason: reason) }
            return aside(attempt, for: DeliveryPolicy.parking, reason: reason)
        }
    }

    /// A device registered in the second of the attempt is kept: the reporter, which removes devices, could not tell it
    /// from one registered after the attempt, and a device reported as removed must be removed.
    private func removal(_ attempt: DeliveryAttempt, since: Timestamp?) -> DeletionBreaker.Verdict {
        let verdict = since.map { attempt.registered < $0 ? .remove : .keep } ?? attempt.verdict
        return attempt.registered < attempt.attempted ? verdict : .keep
    }

    /// The push may have been delivered, so any state but `unknown` could be wrong.
    private func repeated(
        _ attempt: DeliveryAttempt, advice: RetryAdvice, status: UInt16, reason: String, random: any RandomSource
    ) -> DeliveryDecision {
        let decision = again(attempt, advice: advice, status: status, reason: reason, random: random)
        if attempt.repeatsUnknown, case .waiting = decision { return decision }
        return .ended(.unknown, status: status, reason: reason)
    }

    private func again(
        _ attempt: DeliveryAttempt, advice: RetryAdvice, status: UInt16, reason: String, random: any RandomSource
    ) -> DeliveryDecision {
        guard attempt.isStored, attempt.number < UInt8.max else {
            return .ended(.failed, status: status, reason: reason)
        }
        return waiting(
            attempt, number: attempt.number + 1, advice: advice, status: status, reason: reason, random: random)
    }

    private func waiting(
        _ attempt: DeliveryAttempt, number: UInt8, advice: RetryAdvice, status: UInt16, reason: String,
        random: any RandomSource
    ) -> DeliveryDecision {
        let due = schedule.due(
            afterAttempt: attempt.number, advice, now: attempt.now, deadline: attempt.deadline, random: random)
        guard let due else { return .ended(.expired, status: status, reason: reason) }
        return .waiting(attempt: number, due: due, status: status, reason: reason)
    }
}
