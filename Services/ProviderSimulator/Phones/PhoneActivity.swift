import ServiceKit

/// A Live Activity on one phone, running or over.
struct PhoneActivity: Sendable {
    enum State: String, CaseIterable, Sendable {
        case running
        case ended
        case dismissed
    }

    /// A change that the phone has still to report to the app's backend.
    enum DueReport: Sendable {
        case token
        case removal
    }

    /// Distinguishes it from an earlier activity of the same id on this phone.
    var serial: UInt32
    let id: String
    var state = State.running
    /// Nil for an activity on a channel, and for one whose start asked for no token.
    var token: PhoneToken?
    var channel: String?
    /// A number of `ContentStates`; nil before the first state.
    var contentState: Int?
    /// Of the state shown.
    var timestamp: Int64?
    var counts = PushCounts()
    var dueReport: DueReport?
    private var newestArrived: Int64?

    init(_ id: String, serial: UInt32) {
        self.id = id
        self.serial = serial
    }

    /// True for a push whose state is shown from now on.
    mutating func receive(_ push: LiveActivityPush?, at now: Timestamp) -> Bool {
        counts.countArrival(at: now)
        guard let push, push.event != .start else {
            counts.count(.malformed)
            return false
        }
        noteArrival(of: push)
        guard state == .running else {
            counts.count(.afterEnd)
            return false
        }
        if let timestamp, push.timestamp <= timestamp {
            counts.count(push.timestamp == timestamp ? .equal : .overtaken)
            return false
        }
        show(push)
        if push.event == .end { state = .ended }
        return true
    }

    /// A start that begins it, or begins it again.
    mutating func begin(with push: LiveActivityPush, at now: Timestamp) {
        counts.countArrival(at: now)
        counts.count(.starts)
        noteArrival(of: push)
        state = .running
        show(push)
    }

    private mutating func show(_ push: LiveActivityPush) {
        timestamp = push.timestamp
        counts.count(.applied)
        if push.hasAlert { counts.count(.alerts) }
    }

    private mutating func noteArrival(of push: LiveActivityPush) {
        if let newestArrived, push.timestamp < newestArrived { counts.count(.arrivedOlder) }
        newestArrived = max(newestArrived ?? push.timestamp, push.timestamp)
    }
}
