import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// A task without a ledger and without a report, as known from the bus; decides how to recover it.
struct LostTask: Sendable {
    enum Verdict: Equatable, Sendable {
        /// All devices named so far end, and the task is closed.
        case end
        /// No push of it can have been sent: it is resolved as if newly accepted, over these segments if any were
        /// decided.
        case resolve([SegmentNumber])
        /// It was dead-lettered; the operator may replay it.
        case leave
    }

    /// A day less than Kafka's retention: of an older task the chunks that prove that it was begun may be deleted.
    static let proofAge = Duration.seconds(6 * 86_400)

    let app: AppID
    /// Nil if the accepted task is no longer on the bus.
    private let accepted: Accepted?
    /// Devices of it were seen in an audience chunk or a result.
    var isBegun = false
    var isGivenUp = false
    var lane = Lane.bulk
    /// Segments by job number.
    private var visits: [Int: SegmentNumber] = [:]
    /// Number of segments according to the jobs over parts of its list.
    private var segmentCount: Int?

    private struct Accepted {
        let begins: Timestamp
        let deadline: Timestamp
        let policy: TaskPlan.AmbiguityPolicy
        let replaces: ReplacementKey?
    }

    /// It has a key, and another task may count instead.
    var isKeyed: Bool { accepted?.replaces != nil }

    init(_ task: PushTask) {
        app = task.app
        accepted = Accepted(
            begins: task.begins, deadline: task.deadline,
            policy: task.options.ambiguity == .atMostOnce ? .atMostOnce : .atLeastOnce,
            replaces: task.replaces)
    }

    init(app: AppID) {
        self.app = app
        accepted = nil
    }

    func plan(at now: Timestamp) -> TaskPlan {
        TaskPlan(
            app: app, jobs: 1, isFast: lane == .fast, deadline: accepted?.deadline ?? now,
            policy: accepted?.policy ?? .atMostOnce)
    }

    /// Returns the number of new segments.
    mutating func note(_ job: SegmentJob) -> Int {
        let known = visits.count
        switch job.work {
        case .segments(let segments, let stride):
            for (place, segment) in segments.enumerated() { visits[job.job + place * stride] = segment }
        case .part(let number, _): segmentCount = job.job - number
        }
        return visits.count - known
    }

    func verdict(at now: Timestamp) -> Verdict {
        guard !isBegun, let accepted, now < accepted.deadline, now < accepted.begins + LostTask.proofAge else {
            return .end
        }
        guard !isGivenUp else { return .leave }
        // Its jobs may still be on the bus: their numbers must denote the same segments as before.
        let segments = (0..<visits.count).compactMap { visits[$0] }
        guard segments.count == visits.count, segmentCount ?? segments.count == segments.count else { return .end }
        return .resolve(segments)
    }
}
