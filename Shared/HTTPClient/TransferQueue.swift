/// Which requests wait, which are under way, and what the loop has to do next. Pure: times are uptimes handed in.
struct TransferQueue {
    typealias ID = Int

    enum Admission: Equatable {
        case admitted
        case full
        case closed
    }

    /// What the loop does about its requests.
    struct Step: Equatable {
        var starts: [ID] = []
        /// Under way, and no longer wanted by who asked, or cut off by the limit for closing.
        var aborts: [ID] = []
        /// The limit for closing has passed.
        var isGivingUp = false
        /// Their deadline passed while they waited.
        var expirations: [ID] = []
        /// Still waiting when the limit for closing passed.
        var refusals: [ID] = []
        /// Nothing is left and nothing may come.
        var isOver = false
        /// When to ask again at the latest.
        var next: Duration?
    }

    private let concurrentMaximum: Int
    private let waitingMaximum: Int
    /// In the order of arrival.
    private var waiting: [(id: ID, deadline: Duration)] = []
    /// No deadline in `waiting` is earlier, so that it is searched only when one may have passed.
    private var earliestDeadline: Duration?
    private var running: Set<ID> = []
    private var unwanted: [ID] = []
    /// No more are taken once it is set; what is left by then is given up.
    private var closing: Duration?

    init(concurrentMaximum: Int, waitingMaximum: Int) {
        precondition(concurrentMaximum > 0 && waitingMaximum >= 0, "a client sends at least one request at a time")
        self.concurrentMaximum = concurrentMaximum
        self.waitingMaximum = waitingMaximum
    }

    var openCount: Int { waiting.count + running.count }

    mutating func admit(_ id: ID, deadline: Duration) -> Admission {
        guard closing == nil else { return .closed }
        guard openCount < concurrentMaximum + waitingMaximum else { return .full }
        waiting.append((id, deadline))
        earliestDeadline = min(earliestDeadline ?? deadline, deadline)
        return .admitted
    }

    /// Nobody waits for it any more. True when it had not been started and is gone; otherwise the loop aborts it, unless
    /// it is done already.
    mutating func withdraw(_ id: ID) -> Bool {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            return true
        }
        if running.contains(id) { unwanted.append(id) }
        return false
    }

    mutating func finish(_ id: ID) {
        running.remove(id)
    }

    /// Takes no more; what is not done at `limit` is given up. A later limit does not extend an earlier one.
    mutating func close(at limit: Duration) {
        closing = min(closing ?? limit, limit)
    }

    mutating func step(at now: Duration) -> Step {
        var step = Step()
        step.expirations = expire(at: now)
        if let closing, closing <= now {
            step.isGivingUp = true
            step.refusals = waiting.map(\.id)
            step.aborts = running.sorted()
            waiting = []
        } else {
            step.aborts = unwanted.filter(running.contains)
            step.starts = start()
        }
        unwanted = []
        step.isOver = closing != nil && openCount == 0
        step.next = [waiting.isEmpty ? nil : earliestDeadline, closing].compactMap { $0 }.filter { $0 > now }.min()
        return step
    }

    private mutating func expire(at now: Duration) -> [ID] {
        guard let earliestDeadline, earliestDeadline <= now else { return [] }
        let expired = waiting.filter { $0.deadline <= now }.map(\.id)
        waiting.removeAll { $0.deadline <= now }
        self.earliestDeadline = waiting.map(\.deadline).min()
        return expired
    }

    private mutating func start() -> [ID] {
        let ids = waiting.prefix(max(0, concurrentMaximum - running.count)).map(\.id)
        waiting.removeFirst(ids.count)
        running.formUnion(ids)
        return ids
    }
}
