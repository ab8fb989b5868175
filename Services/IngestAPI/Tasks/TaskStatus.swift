import JSONKit
import LocalTime
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Status of a task.
struct TaskStatus: Sendable {
    enum State: String {
        /// It waits for its time.
        case scheduled
        /// Its audience is not resolved yet.
        case accepted
        case sending
        /// Every device has an outcome.
        case closed
        /// Its audience could not be resolved.
        case failed
    }

    let id: TaskID
    let app: AppID
    let created: Timestamp
    /// Nil for a task that was to be sent when it was accepted, and if only the report or the trace is left.
    private(set) var sendAt: Timestamp?
    private(set) var localTime: LocalDateTime?
    private(set) var window: DeliveryWindow?
    let deadline: Timestamp
    /// Nil until the task is planned.
    let progress: TaskProgress?
    let isCancelled: Bool
    /// Devices that wait for a time of their own.
    let deferrals: DeferralSummary
    /// Why the task was abandoned; nil otherwise.
    let problem: String?
    /// False once its time has come.
    private(set) var isScheduled = false
    /// Nil if only the report or the trace is left.
    private(set) var replaces: ReplacementKey?
    private(set) var labels = TaskLabels()
    /// The task that replaced it.
    var successor: TaskID?
    /// What devices reported so far; also after the task is closed.
    var receipts = ReceiptCounts()

    init(_ task: PushTask, progress: TaskProgress, deferrals: DeferralSummary) {
        id = task.id
        app = task.app
        created = task.created
        sendAt = task.sendAt
        localTime = task.rules.localTime
        window = task.window
        replaces = task.replaces
        labels = task.labels
        deadline = progress.plan.deadline
        self.progress = progress
        isCancelled = progress.isCancelled
        self.deferrals = deferrals
        problem = nil
    }

    init(unplanned task: PushTask, at now: Timestamp, isCancelled: Bool, problem: String?) {
        id = task.id
        app = task.app
        created = task.created
        deadline = task.deadline
        sendAt = task.sendAt
        localTime = task.rules.localTime
        window = task.window
        replaces = task.replaces
        labels = task.labels
        isScheduled = task.sendAt.map { now < $0 } ?? false
        progress = nil
        self.isCancelled = isCancelled
        deferrals = DeferralSummary()
        self.problem = problem
    }

    init(_ task: TaskID, trace: TaskTrace) {
        id = task
        app = trace.plan.app
        created = trace.created
        deadline = trace.plan.deadline
        progress = trace.progress
        isCancelled = trace.isCancelled
        labels = ReportDetails(packed: trace.report, created: trace.created)?.labels ?? labels
        deferrals = DeferralSummary()
        problem = nil
    }

    init(_ report: TaskReport) {
        id = report.task
        app = report.app
        created = report.created ?? report.closed
        deadline = report.closed
        progress = report.progress
        isCancelled = report.isCancelled
        labels = report.details.labels
        deferrals = DeferralSummary()
        problem = nil
    }

    var state: State {
        guard let progress else { return problem != nil ? .failed : isScheduled ? .scheduled : .accepted }
        return progress.closed == nil ? .sending : .closed
    }

    var text: String {
        JSONText.object { json in
            json.member("id", "\(id)")
            json.member("app", app.owner.text)
            json.member("state", state.rawValue)
            json.member("cancelled", isCancelled)
            json.member("replaces", json: replaces.map { JSONText.quoted($0.text) } ?? "null")
            json.member("replaced_by", json: successor.map { JSONText.quoted("\($0)") } ?? "null")
            json.member("labels", json: labels.json.compactText)
            json.member("problem", json: problem.map { JSONText.quoted($0) } ?? "null")
            json.member("created", "\(created)")
            json.member("send_at", json: sendAt.map { JSONText.quoted("\($0)") } ?? "null")
            json.member("send_at_local", json: localTime.map { JSONText.quoted("\($0)") } ?? "null")
            json.member("window", json: window?.text ?? "null")
            json.member("deadline", "\(deadline)")
            json.member("closed", json: progress?.closed.map { JSONText.quoted("\($0)") } ?? "null")
            // The lane depends on the number of devices.
            json.member("lane", json: progress.map { JSONText.quoted($0.plan.isFast ? "fast" : "bulk") } ?? "null")
            json.member("jobs", json: jobs)
            json.member("counts", json: counts)
            json.member("unmatched", progress?.unmatched ?? 0)
            json.member("waiting", json: waiting)
            json.member("receipts", object: { receipts.write(to: &$0) })
        }
    }

    /// The status for a caller without the scope to read tasks.
    var outline: String {
        JSONText.object { json in
            json.member("id", "\(id)")
            json.member("state", state.rawValue)
        }
    }

    private var jobs: String {
        JSONText.object { json in
            json.member("resolved", progress?.jobsResolved ?? 0)
            json.member("total", progress?.plan.jobs ?? 0)
        }
    }

    /// Causes without devices are left out.
    private var waiting: String {
        JSONText.object { json in
            json.member("retry", progress?.counts[.waiting] ?? 0)
            for cause in DeferralCause.allCases {
                guard let part = deferrals.parts[cause] else { continue }
                let devices = JSONText.object { json in
                    json.member("devices", part.devices)
                    json.member("next", "\(part.next)")
                }
                json.member(cause.name, json: devices)
            }
        }
    }

    private var counts: String {
        let counts = progress?.counts ?? StateCounts()
        return JSONText.object { json in
            json.member("targeted", counts.targeted)
            json.member("open", counts.open)
            for state in DeliveryState.allCases where state.isTerminal { json.member(state.name, counts[state]) }
        }
    }
}

extension DeliveryWindow {
    var text: String {
        JSONText.object { json in
            json.member("opens", "\(opens)")
            json.member("ends", "\(ends)")
            json.member("method", method.rawValue)
            json.member("compared", isCompared)
        }
    }
}
