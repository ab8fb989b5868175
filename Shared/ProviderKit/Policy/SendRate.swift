import ServiceKit

/// Limits the requests in flight to a provider for one app: halves when the provider throttles, at most once for what
/// was in flight together, and grows again with deliveries.
package struct SendRate: Sendable {
    private let ceiling: Double
    private var window: Double
    private var coolsUntil: Duration = .zero
    private var pausedUntil: Duration = .zero
    private static let floor = 1.0

    package init(ceiling: Int) {
        precondition(ceiling >= 1, "the ceiling of a send rate must be at least 1")
        self.ceiling = Double(ceiling)
        window = Double(ceiling)
    }

    package var inFlightMaximum: Int { Int(window) }

    /// How long nothing may be sent; zero if sending is allowed.
    package func pause(at uptime: Duration) -> Duration {
        max(.zero, pausedUntil - uptime)
    }

    /// Adds one per window of deliveries, and at least enough to recover within some thousand deliveries.
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
