import PushModel
import Topics

/// Compares what a publisher was told, what the pipeline reported, and what the providers accepted.
package struct Judge {
    /// A push that was claimed before a cancel or a deadline may still be under way: as long as its sender may take.
    private static let grace = Duration.seconds(60)

    private static let buffersMaximum = 4

    /// For which the answer to a request with a key is kept, at least.
    private static let keyRetention = Duration.seconds(86_400)

    private let evidence: Evidence
    private var found: [Violation] = []

    package static func violations(in evidence: Evidence) -> [Violation] {
        var judge = Judge(evidence: evidence)
        judge.compare()
        return judge.found
    }

    private init(evidence: Evidence) {
        self.evidence = evidence
    }

    private mutating func add(_ rule: Violation.Rule, _ detail: String) {
        found.append(Violation(rule, detail))
    }

    private mutating func compare() {
        for task in evidence.tasks {
            let outcomes = evidence.outcomes[task.id] ?? [:]
            let pushes = evidence.pushes[task.id] ?? [:]
            compareReport(of: task, outcomes: outcomes)
            for (device, states) in outcomes.sorted(by: { $0.key < $1.key }) {
                compare(states, of: device, in: task, isAccepted: pushes[device] != nil)
            }
            for (device, copies) in pushes.sorted(by: { $0.key < $1.key }) {
                compare(copies, to: device, of: task)
                compareTimes(of: copies, to: device, of: task)
                compare(copies, to: device, of: task, states: outcomes[device])
            }
        }
        // The keys of requests are lost with the rest of a store.
        if !evidence.disturbances.haveLost { compareRequests() }
        found += DeviceRules(evidence).violations() + RateRules(evidence).violations()
        found += SubscriberRules(evidence).violations()
        found += EndpointRules(evidence).violations()
        found += evidence.activities.flatMap { ActivityRules($0, in: evidence).violations() }
        for name in evidence.keysTakenAgain { add(.keyIsOfOneRequest, name) }
        compareGroups()
        compareReceipts()
        compareBuffers()
        for letter in evidence.deadLetters { add(.nothingDead, letter) }
        for leftover in evidence.leftovers { add(.nothingLeftOver, leftover) }
    }

    /// With work in flight a consumer may hold twice its buffer, and then what it fetches once more: as much again, or a
    /// message that is larger than what is left.
    private mutating func compareBuffers() {
        guard evidence.bufferedBytesPeak / Judge.buffersMaximum >= evidence.bufferBytesMaximum else { return }
        add(.buffersKeepBounds, "\(evidence.bufferedBytesPeak) bytes with a buffer of \(evidence.bufferBytesMaximum)")
    }

    private mutating func compareRequests() {
        let tasks = Dictionary(grouping: evidence.tasks.filter { $0.requestKey != nil }) { $0.requestKey ?? "" }
        for (key, tasks) in tasks.sorted(by: { $0.key < $1.key }) {
            for (first, next) in zip(tasks, tasks.dropFirst())
            where next.asked - first.accepted < Judge.keyRetention && !first.mayBeRenewed {
                add(.keyAnsweredOnce, "\(key) was answered with two tasks")
            }
        }
    }

    private mutating func compareGroups() {
        for (name, rate) in evidence.groups.sorted(by: { $0.key < $1.key }) {
            let listed = evidence.listedGroups[name] ?? []
            if listed != [rate].compactMap({ $0 }) {
                add(.groupsAreAsAnswered, "\(name) has rate \(rate.map { "\($0)" } ?? "none"), listed \(listed)")
            }
        }
    }

    /// A report without an answer may be counted. What was counted may be lost with the store.
    private mutating func compareReceipts() {
        for task in evidence.tasks {
            for kind in ReceiptKind.allCases {
                let receipts = evidence.receipts[task.id]?[kind] ?? Receipts()
                let least = evidence.disturbances.haveLost ? 0 : receipts.accepted.count
                let count = evidence.receiptCounts[task.id]?[kind] ?? 0
                guard count < least || count > receipts.reported.count else { continue }
                add(
                    .receiptsAreCountedOnce,
                    "\(task.name): \(count) \(kind.name) of \(least) to \(receipts.reported.count)")
            }
        }
    }

    private mutating func compareReport(of task: JudgedTask, outcomes: [Int: Set<DeliveryState>]) {
        let reports = evidence.reports[task.id] ?? []
        guard let report = reports.first else {
            return add(.acceptedTasksAreReported, "\(task.name) has no report")
        }
        if Set(reports).count > 1 { add(.acceptedTasksAreReported, "\(task.name) has different reports") }
        let reported = OutcomeCounts { report[$0] }
        let counted = outcomes.values.reduce(into: OutcomeCounts()) { counts, states in
            for state in states { counts[state] += 1 }
        }
        let missing = task.audience.filter { outcomes[$0] == nil }.sorted()
        let areCounted = task.mayMissResults && reported.targeted - counted.targeted >= missing.count
        // Of a task whose records are lost only the devices that the bus names have an outcome.
        let isCut = evidence.disturbances.mayHaveLost(tasksOf: task.accepted)
        if !missing.isEmpty, !areCounted, !isCut, !(task.mayBeWithdrawn && report.targeted == 0) {
            let text = missing.map(String.init).joined(separator: ", ")
            add(.everyTargetHasAnOutcome, "\(task.name) misses \(text)")
        }
        if let strangers = task.strangers, !isCut, !task.mayBeCancelled, !strangers.contains(report.unmatched) {
            add(.strangersAreCounted, "\(task.name): \(report.unmatched) of \(strangers)")
        }
        if let status = task.status, !evidence.disturbances.haveLost { compare(status, with: report, of: task) }
        // Devices that were removed from the registry before they were tried are counted only in the report.
        let isSum = OutcomeCounts.states.allSatisfy { counted[$0] <= reported[$0] }
        if !isSum || reported.targeted < counted.targeted {
            add(.countsAddUp, "\(task.name): \(Judge.text(reported)), devices \(Judge.text(counted))")
        }
    }

    private mutating func compare(_ status: JudgedTask.Status, with report: TaskReport, of task: JudgedTask) {
        let areEqual = DeliveryState.allCases.filter(\.isTerminal).allSatisfy { status.counts[$0] == report[$0] }
        guard !status.isSent || !areEqual || status.unmatched != report.unmatched else { return }
        add(.statusIsThatOfReport, task.name)
    }

    private mutating func compare(
        _ states: Set<DeliveryState>, of device: Int, in task: JudgedTask, isAccepted: Bool
    ) {
        let place = "device \(device) of \(task.name)"
        if !task.mayReach(device) { add(.nobodyElseIsTargeted, place) }
        if states.count > 1 { add(.oneOutcome, "\(place): \(Judge.text(states))") }
        if states.contains(.delivered), !isAccepted { add(.deliveredMeansAccepted, place) }
        if !states.allSatisfy({ mayEnd(device, of: task, as: $0) }) {
            add(.outcomeHasReason, "\(place): \(Judge.text(states))")
        }
    }

    private mutating func compare(_ copies: [JudgedPush], to device: Int, of task: JudgedTask) {
        let place = "device \(device) of \(task.name)"
        if !task.mayReach(device) { add(.nobodyElseIsTargeted, place) }
        if copies.contains(where: \.hasOtherText) { add(.textIsItsOwn, place) }
        guard copies.count > 1 else { return }
        if task.isAtMostOnce { add(.atMostOnce, "\(place): \(copies.count) pushes") }
        for (copy, next) in zip(copies, copies.dropFirst())
        where !evidence.disturbances.mayBeRepeated(copy, by: next) {
            add(.noRepeatWithoutReason, "\(place), after that of \(copy.sender)")
        }
    }

    private mutating func compareTimes(of copies: [JudgedPush], to device: Int, of task: JudgedTask) {
        let place = "device \(device) of \(task.name)"
        let clockError = evidence.disturbances.clockError
        let grace = Judge.grace + clockError
        for copy in copies {
            if copy.time + clockError < task.begins { add(.nothingBeforeBegin, place) }
            guard !evidence.disturbances.affects(copy) else { continue }
            if let cancelled = task.cancelled, !evidence.disturbances.mayHaveLost(cancelAt: cancelled),
                copy.time > cancelled + grace
            {
                add(.nothingAfterCancel, place)
            }
            if copy.time > task.deadline + grace { add(.nothingAfterDeadline, place) }
        }
    }

    private func mayEnd(_ device: Int, of task: JudgedTask, as state: DeliveryState) -> Bool {
        switch state {
        case .cancelled: task.mayBeCancelled
        case .suppressed: task.maySuppress || task.perhaps.contains(device)
        case .invalid, .invalidRemoved: evidence.unknownToProviders.contains(device)
        case .notTargeted, .targeted, .claimed, .waiting, .deferred, .delivered, .failed, .expired, .unknown: true
        }
    }

    private mutating func compare(
        _ copies: [JudgedPush], to device: Int, of task: JudgedTask, states: Set<DeliveryState>?
    ) {
        guard let states, states.isDisjoint(with: [.delivered, .unknown]) else { return }
        if copies.allSatisfy({ !$0.isUnanswered && !evidence.disturbances.affects($0) }) {
            add(.acceptedMeansDelivered, "device \(device) of \(task.name) ended as \(Judge.text(states))")
        }
    }

    private static func text(_ states: Set<DeliveryState>) -> String {
        states.map(\.name).sorted().joined(separator: " and ")
    }

    private static func text(_ counts: OutcomeCounts) -> String {
        let parts = OutcomeCounts.states.filter { counts[$0] > 0 }.map { "\(counts[$0]) \($0.name)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}
