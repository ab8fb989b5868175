import JSONKit
import ServiceHost

/// A task as the API tells it: how far it is, and what became of its devices.
struct ReportedTask: Sendable, Equatable {
    enum State: String, Sendable {
        case accepted
        case sending
        case closed
        case failed
    }

    /// Everything a device can end as, in the order in which it is shown.
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
    let outcomes: [Outcome: Int]
    /// As it came, for those who want the rest.
    let document: JSON

    /// Nil for what is no task.
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
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.compactMap { outcome in
                counts.count(outcome.rawValue).map { (outcome, $0) }
            })
        document = json
    }

    /// Nothing more is to be waited for.
    var isOver: Bool { state == .closed || state == .failed }

    func count(_ outcome: Outcome) -> Int { outcomes[outcome] ?? 0 }

    var ended: Int { outcomes.values.reduce(0, +) }

    /// While it has no jobs yet, or some are missing, more devices may still be found.
    var isResolved: Bool { jobs > 0 && jobsResolved >= jobs || state == .closed }

    /// `delivered 120, failed 3`: those that are not zero.
    var outcomesText: String {
        let parts = Outcome.allCases.filter { count($0) > 0 }.map { "\($0.label) \(count($0))" }
        guard parts.isEmpty else { return parts.joined(separator: ", ") }
        switch state {
        case .closed: return "there was nobody to ring"
        case .failed: return document["problem"]?.text ?? "nobody could look for its devices"
        case .accepted, .sending: return "nothing ended yet"
        }
    }
}

extension ReportedTask.Outcome {
    var label: String { rawValue.split(separator: "_").joined(separator: " ") }
}

extension ReportedTask {
    /// With which a command that waited for the task ends.
    var exitCode: Int32 {
        if state == .failed { return ExitCode.failure }
        if isCancelled || count(.cancelled) > 0 { return TaskExitCode.cancelled }
        return count(.delivered) == targeted ? 0 : TaskExitCode.notAllDelivered
    }
}

/// Beside those of `ExitCode`.
enum TaskExitCode {
    static let notAllDelivered: Int32 = 2
    static let cancelled: Int32 = 3
}
