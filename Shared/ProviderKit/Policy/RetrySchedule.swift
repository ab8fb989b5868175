package import ServiceKit

/// Computes when a device is retried: backoff with full jitter on top of the wait that the provider asked for, and
/// never beyond the task's deadline.
package struct RetrySchedule: Sendable {
    package static let standard = RetrySchedule(first: .seconds(1), longest: .seconds(300))
    /// The longest wait that a provider may ask for: a wrong header must not park a device forever.
    package static let floorMaximum = Duration.seconds(3_600)

    private let backoff: Backoff

    package init(first: Duration, longest: Duration) {
        backoff = Backoff(first: first, longest: longest)
    }

    /// Nil if the deadline comes first: the device is not retried.
    package func due(
        afterAttempt attempt: UInt8, _ advice: RetryAdvice, now: Timestamp, deadline: Timestamp,
        random: any RandomSource
    ) -> Timestamp? {
        // An attempt is counted in a byte.
        guard attempt < UInt8.max else { return nil }
        let due =
            now + min(advice.floor, RetrySchedule.floorMaximum) + wait(Int(attempt), advice: advice, random: random)
        return due < deadline ? due : nil
    }

    private func wait(_ attempt: Int, advice: RetryAdvice, random: any RandomSource) -> Duration {
        guard let last = advice.waits.last else { return backoff.delay(afterAttempt: attempt + 1, random: random) }
        return random.duration(in: attempt < advice.waits.count ? advice.waits[attempt] : last)
    }
}
