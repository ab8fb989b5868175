import ServiceKit

/// How many requests may be in flight to a provider for one app: falls by half when the provider says it is too much, at
/// most once for what was in flight together, and climbs again with what is delivered.
package struct SendRate: Sendable {
    private let ceiling: Double
    private var window: Double
    private var coolsUntil: Duration = .zero
    private var pausedUntil: Duration = .zero
    private static let floor = 1.0

    package init(ceiling: Int) {
        precondition(ceiling >= 1, "a sender that may send nothing makes no sense")
        self.ceiling = Double(ceiling)
        window = Double(ceiling)
    }

    package var inFlightMaximum: Int { Int(window) }

    /// How long nothing is to be sent; zero when sending may go on.
    package func pause(at uptime: Duration) -> Duration {
        max(.zero, pausedUntil - uptime)
    }

    /// One more in flight for each window's worth of deliveries, and at least what was lost within some thousand of them.
    package mutating func noteDelivered(_ count: Int = 1) {
        window = min(ceiling, window + Double(count) * max(1 / window, ceiling / 10_000))
    }

    package mutating func noteOverload(_ advice: RetryAdvice, at uptime: Duration) {
        pausedUntil = max(pausedUntil, uptime + min(advice.floor, RetrySchedule.floorMaximum))
        guard uptime >= coolsUntil else { return }
        window = max(SendRate.floor, window / 2)
        coolsUntil = uptime + .seconds(1)
    }
}
