/// The delay before the next attempt: doubles from `first` to `longest`, with jitter so that many clients that failed
/// together do not retry together.
package struct Backoff: Sendable, Equatable {
    package var first: Duration
    package var longest: Duration

    package init(first: Duration, longest: Duration) {
        precondition(first > .zero && longest >= first, "a backoff starts above zero and does not shrink")
        self.first = first
        self.longest = longest
    }

    /// The delay after `attempt` failures, counted from one. At least half of its ceiling, so that no random value
    /// turns the delay into a busy loop.
    package func delay(afterAttempt attempt: Int, random: some RandomSource) -> Duration {
        let doublings = min(max(attempt, 1) - 1, 30)
        let ceiling = min(longest, first * (1 << doublings))
        return random.duration(in: (ceiling / 2)...ceiling)
    }
}
