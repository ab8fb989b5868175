package import ServiceKit

/// When a device is tried again: back-off with full jitter above whatever the provider asked for, and never beyond the
/// task's deadline.
package struct RetrySchedule: Sendable {
    package static let standard = RetrySchedule(first: .seconds(1), longest: .seconds(300))
    /// What a provider may ask for at most; a mistaken header must not park a device for ever.
    package static let floorMaximum = Duration.seconds(3_600)

    private let backoff: Backoff

    package init(first: Duration, longest: Duration) {
        backoff = Backoff(first: first, longest: longest)
    }

    /// Nil when the deadline comes first: the device is not tried again.
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
