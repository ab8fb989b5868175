import ServiceKit

/// Commands submitted to one connection that its thread has not taken yet, and the bound on all that it holds.
struct RedisOutbox {
    enum Admission: Equatable {
        /// The thread is asleep and must be woken.
        case acceptedWaking
        case accepted
        case full
        case closed
    }

    private let costMaximum: Int
    private var waiting = Queue<RedisPending>()
    /// Cost of all unanswered commands, taken or not.
    private(set) var outstandingCost = 0
    /// A lower bound of the deadlines of waiting commands.
    private(set) var earliestDeadline: Duration?
    private var isThreadAsleep = false
    private(set) var isClosing = false

    init(costMaximum: Int) {
        self.costMaximum = costMaximum
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// All or none. A pipeline larger than the bound is admitted if nothing else is outstanding, or it never could be.
    mutating func admit(_ commands: [RedisPending]) -> Admission {
        guard !isClosing else { return .closed }
        let cost = commands.reduce(0) { $0 + $1.cost }
        guard outstandingCost == 0 || outstandingCost + cost <= costMaximum else { return .full }
        outstandingCost += cost
        for command in commands {
            waiting.append(command)
            earliestDeadline = min(earliestDeadline ?? command.deadline, command.deadline)
        }
        defer { isThreadAsleep = false }
        return isThreadAsleep ? .acceptedWaking : .accepted
    }

    mutating func takeAll() -> [RedisPending] {
        earliestDeadline = nil
        return waiting.takeAll()
    }

    /// Puts taken commands that could not be sent back in front.
    mutating func putBack(_ commands: [RedisPending]) {
        guard !commands.isEmpty else { return }
        replaceWaiting(commands + waiting.takeAll())
    }

    /// Removes and returns overdue commands.
    mutating func takeOverdue(now: Duration) -> [RedisPending] {
        guard let earliestDeadline, earliestDeadline <= now else { return [] }
        let all = waiting.takeAll()
        replaceWaiting(all.filter { $0.deadline > now })
        return all.filter { $0.deadline <= now }
    }

    /// Commands of this cost were answered or abandoned.
    mutating func settle(cost: Int) {
        outstandingCost -= cost
    }

    /// From now on a new command must wake the thread.
    mutating func sleep() {
        isThreadAsleep = true
    }

    /// Refuses new commands; returns whether the thread must be woken.
    mutating func close() -> Bool {
        isClosing = true
        defer { isThreadAsleep = false }
        return isThreadAsleep
    }

    private mutating func replaceWaiting(_ commands: [RedisPending]) {
        waiting = Queue()
        commands.forEach { waiting.append($0) }
        earliestDeadline = commands.map(\.deadline).min()
    }
}
