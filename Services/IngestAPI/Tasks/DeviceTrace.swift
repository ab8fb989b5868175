import PushModel
import ServiceKit
import Store
import TaskModel

/// One device in one task: how it ended or where it stands, and why.
struct DeviceTrace: Sendable {
    let task: TaskID
    let device: DeviceID
    let state: DeliveryState
    /// Where there was anything to tell.
    let detail: OutcomeDetail?
    /// Whether everybody the task means is known by now.
    let isResolved: Bool

    static func read(
        _ device: DeviceID, of task: PushTask, progress: TaskProgress, from ledger: any Ledger
    ) async throws -> DeviceTrace {
        let segment = SegmentID(task.app, number: device.index.segment)
        let states = try await ledger.states(of: task.id, in: segment)
        let state = states?.states[device.index.offset] ?? .notTargeted
        let detail =
            state == .notTargeted
            ? nil : try await ledger.detail(of: device.index.offset, task: task.id, in: segment)
        return DeviceTrace(
            task: task.id, device: device, state: state, detail: detail,
            isResolved: progress.jobsResolved == progress.plan.jobs)
    }

    init(_ device: DeviceID, of task: TaskID, trace: TaskTrace) {
        let end = trace.outcomes.devices.first { $0.index == device.index }
        self.init(
            task: task, device: device, state: end?.state ?? .notTargeted, detail: end?.detail, isResolved: true)
    }

    init(_ device: DeviceID, ofUnplanned task: TaskID) {
        self.init(task: task, device: device, state: .notTargeted, detail: nil, isResolved: false)
    }

    private init(
        task: TaskID, device: DeviceID, state: DeliveryState, detail: OutcomeDetail?, isResolved: Bool
    ) {
        self.task = task
        self.device = device
        self.state = state
        self.detail = detail
        self.isResolved = isResolved
    }

    var text: String {
        JSONText.object { json in
            json.member("task", "\(task)")
            json.member("device", "\(device)")
            json.member("state", state.name)
            json.member("attempt", json: detail.map { "\($0.attempt)" } ?? "null")
            json.member("time", json: detail.map { JSONText.quoted("\($0.time)") } ?? "null")
            json.member("status", json: detail.flatMap { $0.status == 0 ? nil : "\($0.status)" } ?? "null")
            json.member("reason", json: reason.map { JSONText.quoted($0) } ?? "null")
            json.member("next_attempt", json: detail?.due.map { JSONText.quoted("\($0)") } ?? "null")
            json.member("why", why)
        }
    }

    private var reason: String? {
        detail.flatMap { $0.reason.isEmpty ? nil : $0.reason }
    }

    private var why: String {
        switch state {
        case .notTargeted where !isResolved:
            "The task's devices are still being looked for; this one is not among them yet."
        case .notTargeted: "The task does not mean this device, or sends nothing to its platform."
        case .targeted: "It is on its way to a sender."
        case .claimed: "A sender has it in hand."
        case .waiting:
            "It could not be sent\(because), and is tried again" + (detail?.due.map { " at \($0) or later." } ?? ".")
        case .delivered: "The provider took it."
        case .failed: "It was given up\(because)."
        case .invalid: "The provider does not know the device\(because); it stays registered for want of proof."
        case .invalidRemoved: "The provider says that the device is gone\(because); it was unregistered."
        case .expired: "The task's deadline came first."
        case .suppressed: "It was not to be sent\(because)."
        case .cancelled: "The task was cancelled first."
        case .unknown where detail.map({ $0.status != 0 }) == true:
            "It may have been delivered: the provider's answer\(because) does not say how far the push came."
        case .unknown: "It may have been delivered: the sender or its connection was lost before the answer came."
        }
    }

    private var because: String {
        reason.map { " (\($0))" } ?? ""
    }
}
