/// Decides when to send a PING on a quiet connection, and when to consider it dead.
struct Heartbeat {
    enum Action: Equatable {
        case none
        case ping
        case giveUp
    }

    private let configuration: HTTP2Configuration
    private var lastHeard: Duration
    /// Time since which the peer owes data; an earlier silence does not count.
    private var owedSince: Duration?
    private var pinged: Duration?

    init(_ configuration: HTTP2Configuration, now: Duration) {
        self.configuration = configuration
        lastHeard = now
    }

    /// Any received byte resets the timers.
    mutating func heard(now: Duration) {
        lastHeard = now
        pinged = nil
    }

    mutating func noteOwed(_ isOwed: Bool, now: Duration) {
        if isOwed { owedSince = owedSince ?? now } else { owedSince = nil }
    }

    /// When to call `beat` again.
    var due: Duration {
        if let pinged { return pinged + configuration.pingLimit }
        if let owedSince { return max(lastHeard, owedSince) + configuration.silenceBeforePing }
        return lastHeard + configuration.idleBeforePing
    }

    mutating func beat(now: Duration) -> Action {
        guard now >= due else { return .none }
        if pinged != nil { return .giveUp }
        pinged = now
        return .ping
    }
}
