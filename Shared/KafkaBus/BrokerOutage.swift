import ServiceKit

/// Reduces the dozens of connection failures that the library reports during an outage to one line at its beginning,
/// one a minute while it lasts, and one at its end.
///
/// The library does not report that a connection is up again. It reports each failing connection at least every 30
/// seconds, so an outage is over when no failure was reported for somewhat longer. Decides only; the owner logs.
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
        var logged: Duration
        var failures = 1
        var reason: String
    }

    private var current: Current?

    /// False if `checkRecovery` cannot return a line.
    var isOpen: Bool { current != nil }

    mutating func fail(_ reason: String, at now: Duration) -> Line? {
        // The last outage ended without a line, since `checkRecovery` was not called in time; a line now would mislead.
        guard var outage = current, now - outage.last < Self.quiet else {
            current = Current(began: now, last: now, logged: now, reason: reason)
            return .began(reason)
        }
        outage.failures += 1
        outage.last = now
        outage.reason = reason
        current = outage
        return repetition(at: now)
    }

    /// Must be called regularly.
    mutating func checkRecovery(at now: Duration) -> Line? {
        guard let outage = current, now - outage.last >= Self.quiet else { return nil }
        current = nil
        return .ended(outage.reason, failures: outage.failures, lasted: outage.last - outage.began)
    }

    private mutating func repetition(at now: Duration) -> Line? {
        guard let outage = current, now - outage.logged >= Self.repetition else { return nil }
        current?.logged = now
        return .lasts(outage.reason, failures: outage.failures, since: now - outage.began)
    }
}
