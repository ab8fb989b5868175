/// How long to wait before the next attempt: doubling from `first` to `longest`, with full jitter so that many
/// clients that failed together do not come back together.
package struct Backoff: Sendable, Equatable {
    package var first: Duration
    package var longest: Duration

    package init(first: Duration, longest: Duration) {
        precondition(first > .zero && longest >= first, "a back-off starts above zero and does not shrink")
        self.first = first
        self.longest = longest
    }

    /// The wait after `attempt` failures, counted from one. Never below half of its ceiling, so that a lucky draw
    /// cannot turn the wait into a spin.
    package func delay(afterAttempt attempt: Int, random: some RandomSource) -> Duration {
        let doublings = min(max(attempt, 1) - 1, 30)
        let ceiling = min(longest, first * (1 << doublings))
        return random.duration(in: (ceiling / 2)...ceiling)
    }
}
