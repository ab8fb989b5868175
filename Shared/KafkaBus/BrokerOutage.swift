import ServiceKit

/// Turns the failures of connections to brokers, of which the library tells by the dozen while brokers are away, into a
/// line at the beginning of an outage, one a minute while it lasts, and one at its end.
///
/// The library does not say when a connection is up again. It tells of each connection that fails at least every 30
/// seconds, so an outage is over when no failure came for somewhat longer. Decides only; the owner logs.
struct BrokerOutage {
    enum Line: Equatable {
        case began(String)
        case lasts(String, failures: Int, since: Duration)
        case ended(String, failures: Int, lasted: Duration)
    }

    static let quiet = Duration.seconds(35)
    private static let repetition = Duration.seconds(60)

    private struct Current {
        let began: Duration
        var last: Duration
        var told: Duration
        var failures = 1
        var reason: String
    }

    private var current: Current?

    /// Whether `look` may have anything to say.
    var isOpen: Bool { current != nil }

    mutating func fail(_ reason: String, at now: Duration) -> Line? {
        // The last outage ended without a line, since `look` was not called in time; one now would be misleading.
        guard var outage = current, now - outage.last < Self.quiet else {
            current = Current(began: now, last: now, told: now, reason: reason)
            return .began(reason)
        }
        outage.failures += 1
        outage.last = now
        outage.reason = reason
        current = outage
        return repetition(at: now)
    }

    /// To be asked once in a while.
    mutating func look(at now: Duration) -> Line? {
        guard let outage = current, now - outage.last >= Self.quiet else { return nil }
        current = nil
        return .ended(outage.reason, failures: outage.failures, lasted: outage.last - outage.began)
    }

    private mutating func repetition(at now: Duration) -> Line? {
        guard let outage = current, now - outage.told >= Self.repetition else { return nil }
        current?.told = now
        return .lasts(outage.reason, failures: outage.failures, since: now - outage.began)
    }
}
