import CommandKit
import JSONKit
import ServiceHost

/// A task as reported by the API: its progress, and the outcomes of its devices.
struct ReportedTask: Sendable, Equatable {
    enum State: String, Sendable {
        case scheduled
        case accepted
        case sending
        case closed
        case failed
    }

    /// Outcomes of a device, in display order.
    enum Outcome: String, CaseIterable, Sendable {
        case delivered
        case failed
        case invalid
        case invalidRemoved = "invalid_removed"
        case expired
        case suppressed
        case cancelled
        case unknown
    }

    let id: String
    let state: State
    let isCancelled: Bool
    let jobsResolved: Int
    let jobs: Int
    let targeted: Int
    /// Entries of its list that name no device; zero from an `ingest-api` of an earlier version.
    let unmatched: Int
    let outcomes: [Outcome: Int]
    /// The complete document, for `--json` and fields not parsed here.
    let document: JSON

    /// Nil if the JSON is not a task.
    init?(_ json: JSON) {
        guard let id = json["id"]?.text, let state = json["state"]?.text.flatMap({ State(rawValue: $0) }),
            let counts = json["counts"]
        else { return nil }
        self.id = id
        self.state = state
        isCancelled = json["cancelled"] == .bool(true)
        jobsResolved = json["jobs"]?.count("resolved") ?? 0
        jobs = json["jobs"]?.count("total") ?? 0
        targeted = counts.count("targeted") ?? 0
        unmatched = json.count("unmatched") ?? 0
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.compactMap { outcome in
                counts.count(outcome.rawValue).map { (outcome, $0) }
            })
        document = json
    }

    /// True if the task is closed or failed.
    var isOver: Bool { state == .closed || state == .failed }

    func count(_ outcome: Outcome) -> Int { outcomes[outcome] ?? 0 }

    var ended: Int { outcomes.values.reduce(0, +) }

    /// The number of targeted devices may grow until all jobs are resolved.
    var isResolved: Bool { jobs > 0 && jobsResolved >= jobs || state == .closed }

    /// What open devices wait for, such as `waiting: retry 2, quiet hours 30`; nil if none waits.
    var waitingText: String? {
        let causes = document["waiting"]?.object?.members ?? []
        let parts = causes.compactMap { name, value -> String? in
            let count = value.count("devices") ?? document["waiting"]?.count(name) ?? 0
            return count > 0 ? "\(name.split(separator: "_").joined(separator: " ")) \(count)" : nil
        }
        return parts.isEmpty || isOver ? nil : "waiting: \(parts.joined(separator: ", "))"
    }

    /// What devices reported, such as `receipts: opened 17, actions 2`; nil without receipts.
    var receiptsText: String? {
        let parts = receipts.map { "\($0.name) \($0.count)" }
        return parts.isEmpty ? nil : "receipts: \(parts.joined(separator: ", "))"
    }

    /// Kinds of receipts that are not zero.
    var receipts: [(name: String, count: Int)] {
        ["delivered", "opened", "dismissed", "actions"].compactMap { name in
            document["receipts"]?.count(name).flatMap { $0 > 0 ? (name, $0) : nil }
        }
    }

    /// Outcomes that are not zero, such as `delivered 120, failed 3`.
    var outcomesText: String {
        let parts = Outcome.allCases.filter { count($0) > 0 }.map { "\($0.label) \(count($0))" }
        guard parts.isEmpty else { return parts.joined(separator: ", ") }
        switch state {
        case .closed: return isCancelled ? "nothing was sent" : "no matching devices"
        case .scheduled: return "waits for \(document["send_at"]?.text ?? "its time")"
        case .failed: return document["problem"]?.text ?? "its devices could not be resolved"
        case .accepted, .sending: return "no results yet"
        }
    }
}

extension ReportedTask.Outcome {
    var label: String { rawValue.split(separator: "_").joined(separator: " ") }
}

extension ReportedTask {
    /// Exit code of a command that waited for the task.
    var exitCode: Int32 {
        if state == .failed { return ExitCode.failure }
        if isCancelled || count(.cancelled) > 0 { return TaskExitCode.cancelled }
        return count(.delivered) == targeted ? 0 : TaskExitCode.notAllDelivered
    }

    /// Style of its state in a list; nil before the end.
    var style: TextStyle? { TaskVerdict(self)?.grade.style }
}
