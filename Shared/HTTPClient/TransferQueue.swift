/// Queued requests, requests in flight, and the loop's next actions. Pure: times are uptimes passed in.
///
/// It enforces deadlines and the limit per host itself, since libcurl ignores both for a transfer that waits inside it
/// for a connection.
struct TransferQueue {
    typealias ID = Int

    enum Admission: Equatable {
        case admitted
        case full
        case closed
    }

    struct Abort: Equatable {
        enum Reason {
            /// The caller no longer waits for it.
            case unwanted
            case overdue
            /// The limit for closing has passed.
            case closing
        }

        let id: ID
        let reason: Reason
    }

    /// Actions of the loop on its requests.
    struct Step: Equatable {
        var starts: [ID] = []
        /// Requests in flight to abort.
        var aborts: [Abort] = []
        /// Queued requests whose deadline passed.
        var expirations: [ID] = []
        /// Requests still queued when the limit for closing passed.
        var refusals: [ID] = []
        /// Nothing is left and nothing can be added.
        var isOver = false
        /// Latest time for the next step.
        var next: Duration?
    }

    private struct Entry {
        let id: ID
        let host: String
        let deadline: Duration
    }

    private let concurrentMaximum: Int
    private let hostMaximum: Int
    private let waitingMaximum: Int
    /// In order of arrival.
    private var waiting: [Entry] = []
    private var running: [ID: Entry] = [:]
    private var runningCounts: [String: Int] = [:]
    /// No future deadline is earlier, so deadlines are searched only when one may have passed.
    private var earliestDeadline: Duration?
    /// True if an event since the last step may allow one of `waiting` to start.
    private var mayStart = false
    private var unwanted: [ID] = []
    /// Once set, new requests are refused; those left at this time are aborted.
    private var closing: Duration?

    init(concurrentMaximum: Int, hostMaximum: Int, waitingMaximum: Int) {
        precondition(
            concurrentMaximum > 0 && hostMaximum > 0 && waitingMaximum >= 0,
            "a client needs room for at least one request")
        self.concurrentMaximum = concurrentMaximum
        self.hostMaximum = hostMaximum
        self.waitingMaximum = waitingMaximum
    }

    mutating func admit(_ id: ID, host: String, deadline: Duration) -> Admission {
        guard closing == nil else { return .closed }
        guard waiting.count + running.count < concurrentMaximum + waitingMaximum else { return .full }
        waiting.append(Entry(id: id, host: host, deadline: deadline))
        earliestDeadline = min(earliestDeadline ?? deadline, deadline)
        mayStart = true
        return .admitted
    }

    /// The caller no longer waits for it. True if it was removed before it started; otherwise the loop aborts it,
    /// unless it is already done.
    mutating func withdraw(_ id: ID) -> Bool {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            return true
        }
        if running[id] != nil { unwanted.append(id) }
        return false
    }

    mutating func finish(_ id: ID) {
        guard let entry = running.removeValue(forKey: id), let count = runningCounts[entry.host] else { return }
        runningCounts[entry.host] = count > 1 ? count - 1 : nil
        mayStart = true
    }

    /// Refuses new requests; those not done at `limit` are aborted. A later limit does not extend an earlier one.
    mutating func close(at limit: Duration) {
        closing = min(closing ?? limit, limit)
    }

    mutating func step(at now: Duration) -> Step {
        var step = Step()
        if let closing, closing <= now {
            step.refusals = waiting.map(\.id)
            step.aborts = running.keys.sorted().map { Abort(id: $0, reason: .closing) }
            waiting = []
        } else {
            step.aborts = unwanted.filter { running[$0] != nil }.map { Abort(id: $0, reason: .unwanted) }
            expire(at: now, &step)
            step.starts = start()
        }
        unwanted = []
        step.isOver = closing != nil && waiting.isEmpty && running.isEmpty
        step.next = [earliestDeadline, closing].compactMap { $0 }.filter { $0 > now }.min()
        return step
    }

    private mutating func expire(at now: Duration, _ step: inout Step) {
        guard let earliestDeadline, earliestDeadline <= now else { return }
        step.expirations = waiting.filter { $0.deadline <= now }.map(\.id)
        waiting.removeAll { $0.deadline <= now }
        let overdue = running.values.filter { $0.deadline <= now }.map(\.id).sorted()
        step.aborts += overdue.filter { !unwanted.contains($0) }.map { Abort(id: $0, reason: .overdue) }
        let later = waiting.map(\.deadline) + running.values.map(\.deadline)
        self.earliestDeadline = later.filter { $0 > now }.min()
    }

    private mutating func start() -> [ID] {
        guard mayStart else { return [] }
        mayStart = false
        var started: Set<ID> = []
        for entry in waiting {
            guard running.count < concurrentMaximum else { break }
            guard runningCounts[entry.host, default: 0] < hostMaximum else { continue }
            running[entry.id] = entry
            runningCounts[entry.host, default: 0] += 1
            started.insert(entry.id)
        }
        guard !started.isEmpty else { return [] }
        let ids = waiting.map(\.id).filter(started.contains)
        waiting.removeAll { started.contains($0.id) }
        return ids
    }
}
