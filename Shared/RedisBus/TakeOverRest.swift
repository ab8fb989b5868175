/// When a consumer may take partitions that look abandoned.
///
/// After Redis was away for long every lease has run out, also those of the living. Who is back first would take all of
/// them, and work that goes on elsewhere would be done twice; so everyone gives the others the time of a lease to renew.
struct TakeOverRest {
    private let lease: Duration
    private var lastAnswer: Duration?
    private var until: Duration = .zero

    init(lease: Duration) {
        self.lease = lease
    }

    /// Redis answered a heartbeat at this moment; returns whether partitions may be taken now.
    mutating func answered(at now: Duration) -> Bool {
        if let lastAnswer, now - lastAnswer >= lease / 2 { until = now + lease }
        lastAnswer = now
        return now >= until
    }
}
