/// What went wrong outside of the pipeline, and so may excuse a repeated push.
package struct Disturbances: Sendable {
    private var processes: [String: [Duration]] = [:]
    private var first: Duration?
    private var delayed: Duration?
    /// In which processes notice that a store came back with older data.
    private static let notice = Duration.seconds(2)

    /// For which a process that goes on may finish what it had begun.
    private static let rest = Duration.seconds(30)

    private var skewed: Duration?
    /// By which any clock was wrong at any time.
    package private(set) var clockError = Duration.zero
    /// From the moment to which a store went back until processes notice.
    private var losses: [ClosedRange<Duration>] = []
    private var trusted: Duration?

    package init() {}

    /// The process was killed or suspended.
    package mutating func disturb(_ process: String, at time: Duration) {
        processes[process, default: []].append(time)
    }

    /// Anything may be refused, lost or late from now on.
    package mutating func disturbAll(at time: Duration) {
        first = min(first ?? time, time)
    }

    /// The clock of a process is stepped.
    package mutating func setClock(to error: Duration) {
        clockError = max(clockError, error, .zero - error)
    }

    /// From now on a push that was counted may reach its provider later, for example with a retry.
    package mutating func delayPushes(at time: Duration) {
        delayed = min(delayed ?? time, time)
    }

    /// The clock of a store is stepped: leases of claims may end early.
    package mutating func skew(by error: Duration, at time: Duration) {
        skewed = min(skewed ?? time, time)
        setClock(to: error)
    }

    /// A store came back as it was at `moment`.
    package mutating func loseRecords(since moment: Duration, at time: Duration) {
        losses.append(moment...(time + Disturbances.notice))
        trusted = nil
    }

    /// The stores are filled again.
    package mutating func endLoss(at time: Duration) {
        trusted = time
    }

    /// When processes have noticed all losses.
    package var noticed: Duration { losses.map(\.upperBound).max() ?? .zero }

    /// True if a store came back with older data.
    package var haveLost: Bool { !losses.isEmpty }

    /// Since when a push may reach its provider long after the store counted it, or uncounted.
    var mayDelayPushes: Duration? {
        ([delayed, first, skewed] + losses.map(\.lowerBound) + processes.values.map { $0.min() })
            .compactMap { $0 }.min()
    }

    /// True if the store may have given one slot of a rate twice.
    var mayRepeatSlots: Bool { skewed != nil || haveLost }

    /// True if the process may have sent a push long after its slot.
    func mayMissSlots(_ process: String) -> Bool { first != nil || processes[process] != nil }

    /// True if the records of a task that was accepted then are lost, or were not kept until the store was filled
    /// again.
    package func mayHaveLost(tasksOf accepted: Duration) -> Bool {
        haveLost && (trusted.map { accepted <= $0 } ?? true)
    }

    /// True if only a store that lost it knew of a cancel.
    func mayHaveLost(cancelAt time: Duration) -> Bool { losses.contains { $0.contains(time) } }

    /// True if another may have repeated the push because its acceptance may be unknown, or was suspended with a claim,
    /// which has ended since, and sends the push as soon as it goes on.
    func mayBeRepeated(_ push: JudgedPush, by next: JudgedPush) -> Bool {
        if let first, first <= next.time { return true }
        if let skewed, skewed <= next.time { return true }
        let rest = (next.time - Disturbances.rest)...next.time
        if processes[next.sender]?.contains(where: { rest.contains($0) }) == true { return true }
        return push.isUnanswered || processes[push.sender]?.contains { $0 >= push.time } == true
    }

    /// True if the process may have sent the push long after it decided to.
    func interrupts(_ push: JudgedPush) -> Bool { processes[push.sender] != nil }

    func affects(_ push: JudgedPush) -> Bool { first != nil || processes[push.sender] != nil }
}
