import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// What the bus tells of a task whose ledger is gone and that no report tells of; decides what becomes of it.
struct LostTask: Sendable {
    enum Verdict: Equatable, Sendable {
        /// Every device that was ever named ends, and the task is closed.
        case end
        /// Nothing of it can have been sent: it is resolved as if it had just come, over these segments where any were
        /// decided.
        case resolve([SegmentNumber])
        /// It was given up, and is its operator's to replay.
        case leave
    }

    /// A day less than Kafka keeps work: what is older may have lost the chunks that would prove that it was begun.
    static let proofAge = Duration.seconds(6 * 86_400)

    let app: AppID
    /// Nil where nothing is left of what was accepted.
    private let accepted: Accepted?
    /// Devices of it were seen on their way or at their end.
    var isBegun = false
    var isGivenUp = false
    var lane = Lane.bulk
    /// By the number of the job.
    private var visits: [Int: SegmentNumber] = [:]
    /// What the jobs over parts of its list say that the number of segments is.
    private var segmentCount: Int?

    private struct Accepted {
        let created: Timestamp
        let deadline: Timestamp
        let policy: TaskPlan.AmbiguityPolicy
    }

    init(_ task: PushTask) {
        app = task.app
        accepted = Accepted(
            created: task.created, deadline: task.deadline,
            policy: task.options.ambiguity == .atMostOnce ? .atMostOnce : .atLeastOnce)
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

    /// How many segments were new.
    mutating func note(_ job: SegmentJob) -> Int {
        let known = visits.count
        switch job.work {
        case .segments(let segments, let stride):
            for (place, segment) in segments.enumerated() { visits[job.job + place * stride] = segment }
        case .part(let number): segmentCount = job.job - number
        }
        return visits.count - known
    }

    func verdict(at now: Timestamp) -> Verdict {
        guard !isBegun, let accepted, now < accepted.deadline, now < accepted.created + LostTask.proofAge else {
            return .end
        }
        guard !isGivenUp else { return .leave }
        // Jobs of it may still stand on the bus: their numbers must mean the same segments as before.
        let segments = (0..<visits.count).compactMap { visits[$0] }
        guard segments.count == visits.count, segmentCount ?? segments.count == segments.count else { return .end }
        return .resolve(segments)
    }
}
