/// Decides when a consumer may take over partitions that look abandoned.
///
/// After a long outage of Redis every lease has expired, also of live consumers. The first one back would take them
/// all, and work in flight elsewhere would be done twice; so each gives the others the time of a lease to renew.
struct TakeOverRest {
    private let lease: Duration
    private var lastAnswer: Duration?
    private var until: Duration = .zero

    init(lease: Duration) {
        self.lease = lease
    }

    /// Records an answered heartbeat; returns whether partitions may be taken over now.
    mutating func noteAnswer(at now: Duration) -> Bool {
        if let lastAnswer, now - lastAnswer >= lease / 2 { until = now + lease }
        lastAnswer = now
        return now >= until
    }
}
