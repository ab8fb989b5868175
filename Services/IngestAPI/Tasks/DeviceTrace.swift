import PushModel
import ServiceKit
import Store
import TaskModel

/// State of one device in one task, with the reason.
struct DeviceTrace: Sendable {
    let task: TaskID
    let device: DeviceID
    let state: DeliveryState
    /// Nil if the ledger has no detail for the device.
    let detail: OutcomeDetail?
    /// True once all jobs of the task are resolved.
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

    var text: String { JSONText.object { write(to: &$0) } }

    func write(to json: inout JSONText) {
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

    private var reason: String? {
        detail.flatMap { $0.reason.isEmpty ? nil : $0.reason }
    }

    private var why: String {
        switch state {
        case .notTargeted where !isResolved:
            "The audience is still being resolved; this device is not in it so far."
        case .notTargeted: "The task does not target this device or its platform."
        case .targeted: "The push is on its way to a sender."
        case .claimed: "A sender is sending the push."
        case .waiting:
            "The push could not be sent\(because) and is retried" + (detail?.due.map { " at \($0) or later." } ?? ".")
        case .deferred: "Deferred" + (detail?.due.map { " until \($0)" } ?? "") + "\(because)."
        case .delivered: "The provider accepted the push."
        case .failed: "The push failed permanently\(because)."
        case .invalid: "The provider does not know the device\(because); without proof, it stays registered."
        case .invalidRemoved: "The provider reported the device as gone\(because); it was unregistered."
        case .expired: "The task's deadline passed first."
        case .suppressed: "The push was suppressed\(because)."
        case .cancelled: "The task was cancelled first."
        case .unknown where detail.map({ $0.status != 0 }) == true:
            "The push may have been delivered: the provider's answer\(because) does not say whether it was."
        case .unknown: "The push may have been delivered: the sender or its connection was lost before the answer."
        }
    }

    private var because: String {
        reason.map { " (\($0))" } ?? ""
    }
}
