import HistoryJudge
import PushModel
import ServiceKit
import Synchronization

/// What a publisher and an operator know of a history: the tasks that were accepted, and what was disturbed when.
final class HistoryRecord: Sendable {
    private static let keyRetention = Duration.seconds(86_400)

    struct AcceptedTask: Sendable, Hashable {
        let order: Int
        /// Of the first request with the key, which may have been accepted without an answer.
        let asked: Duration
        /// Of the first answer with this task.
        let answered: Duration
    }

    /// A step of a Live Activity that was answered.
    struct ActivityStep: Sendable, Hashable {
        let activity: Int
        let step: Int
        let asked: Duration
        let answered: Duration

        fileprivate var order: (Duration, Int, Int) { (answered, activity, step) }
    }

    /// What an answer calls the task that sends the state of an activity.
    enum ActivityTask: Sendable, Hashable {
        case id(TaskID)
        /// In the dialect of Pushwoosh.
        case code(String)

        var id: TaskID? {
            if case .id(let id) = self { id } else { nil }
        }
    }

    private struct State {
        var activitySteps: [ActivityStep] = []
        var activityTasks: [ActivityTask: ActivityStep] = [:]
        var stepsOfTasks: [ActivityTask: [ActivityStep]] = [:]
        var tasks: [TaskID: AcceptedTask] = [:]
        /// When requests began, by the number of the order.
        var asked: [Int: [Duration]] = [:]
        /// The tasks of which the bus lost messages.
        var tasksWithLostMessages: Set<TaskID> = []
        /// The orders whose key another request was accepted with.
        var keysTakenAgain: Set<Int> = []
        /// By the number of the order.
        var cancelAsked: Set<Int> = []
        var cancelled: [TaskID: Duration] = [:]
        /// The devices that reported, and those that were answered.
        var receipts: [TaskID: [ReceiptKind: Receipts]] = [:]
        /// When devices left the app or came back.
        var moves: [Int: [Duration]] = [:]
        /// The groups of transfers whose calls are all answered, with their rate; nil for an archived one.
        var groups: [String: Int?] = [:]
        /// Whether the last call of each of these devices registered it.
        var registrations: [Int: Bool] = [:]
        /// The devices whose apps call pushd's routes.
        var subscribers: [Int: SubscriberRecord] = [:]
        var disturbances = Disturbances()
    }

    private let state = Mutex(State())

    /// In the order of their answers.
    var tasks: [(key: TaskID, value: AcceptedTask)] {
        state.withLock { $0.tasks.sorted { ($0.value.answered, $0.value.order) < ($1.value.answered, $1.value.order) } }
    }
    var disturbances: Disturbances { state.withLock { $0.disturbances } }
    /// The devices that were removed at some time.
    var movedDevices: Set<Int> { state.withLock { Set($0.moves.keys) } }

    /// The latest one.
    func task(of order: Int) -> TaskID? { tasks.last { $0.value.order == order }?.key }

    func ask(_ order: Int, at time: Duration) {
        state.withLock { $0.asked[order, default: []].append(time) }
    }

    func accept(_ task: TaskID, order: Int, asked: Duration, answered: Duration) {
        state.withLock { state in
            guard state.tasks[task] == nil else { return }
            let first = state.asked[order]?.filter { asked - $0 < HistoryRecord.keyRetention }.min() ?? asked
            state.tasks[task] = AcceptedTask(order: order, asked: first, answered: answered)
        }
    }

    /// True if a publisher sent it once, and had the answer before it would have sent it again.
    func wasAskedOnce(_ task: AcceptedTask) -> Bool {
        state.withLock { $0.asked[task.order]?.count == 1 } && task.answered - task.asked < HistoryRun.requestPause
    }

    var tasksWithLostMessages: Set<TaskID> { state.withLock { $0.tasksWithLostMessages } }

    func loseMessages(of tasks: [TaskID]) {
        state.withLock { $0.tasksWithLostMessages.formUnion(tasks) }
    }

    var keysTakenAgain: Set<Int> { state.withLock { $0.keysTakenAgain } }

    func takeKeyAgain(of order: Int) {
        state.withLock { _ = $0.keysTakenAgain.insert(order) }
    }

    var activitySteps: [ActivityStep] { state.withLock { $0.activitySteps } }
    /// The tasks that send the states of activities, with the first step that was answered with each.
    var activityTasks: [(key: ActivityTask, value: ActivityStep)] {
        state.withLock { state in
            state.activityTasks.sorted { $0.value.order < $1.value.order }
        }
    }

    /// All steps that were answered with each task.
    var stepsOfTasks: [ActivityTask: [ActivityStep]] { state.withLock { $0.stepsOfTasks } }

    /// The first answer counts.
    func accept(_ step: ActivityStep, task: ActivityTask? = nil) {
        state.withLock { state in
            if let task {
                state.stepsOfTasks[task, default: []].append(step)
                if state.activityTasks[task] == nil { state.activityTasks[task] = step }
            }
            let isKnown = state.activitySteps.contains { ($0.activity, $0.step) == (step.activity, step.step) }
            if !isKnown { state.activitySteps.append(step) }
        }
    }

    func report(_ devices: [TaskID: Set<Int>], as kind: ReceiptKind) {
        add(devices, as: kind, to: \.reported)
    }

    func acceptReceipts(of devices: [TaskID: Set<Int>], as kind: ReceiptKind) {
        add(devices, as: kind, to: \.accepted)
    }

    private func add(
        _ devices: [TaskID: Set<Int>], as kind: ReceiptKind, to place: WritableKeyPath<Receipts, Set<Int>>
    ) {
        state.withLock { state in
            for (task, devices) in devices {
                state.receipts[task, default: [:]][kind, default: Receipts()][keyPath: place].formUnion(devices)
            }
        }
    }

    var receipts: [TaskID: [ReceiptKind: Receipts]] { state.withLock { $0.receipts } }

    func askToCancel(_ order: Int) {
        state.withLock { _ = $0.cancelAsked.insert(order) }
    }

    func cancel(_ task: TaskID, at time: Duration) {
        state.withLock { state in
            let first = state.cancelled[task] ?? time
            state.cancelled[task] = first
        }
    }

    func wasAskedToCancel(_ order: Int) -> Bool { state.withLock { $0.cancelAsked.contains(order) } }
    func cancelled(_ task: TaskID) -> Duration? { state.withLock { $0.cancelled[task] } }

    func move(_ device: Int, at time: Duration) {
        state.withLock { $0.moves[device, default: []].append(time) }
    }

    var groups: [String: Int?] { state.withLock { $0.groups } }

    func finish(group name: String, rate: Int?) {
        state.withLock { $0.groups[name] = .some(rate) }
    }

    var registrations: [Int: Bool] { state.withLock { $0.registrations } }

    /// The device was answered.
    func settle(_ device: Int, isRegistered: Bool) {
        state.withLock { $0.registrations[device] = isRegistered }
    }

    var subscribers: [Int: SubscriberRecord] { state.withLock { $0.subscribers } }

    func begin(subscriber device: Int, _ record: SubscriberRecord) {
        state.withLock { $0.subscribers[device] = record }
    }

    func ask(_ step: SubscriberPlan.Step, of device: Int, at time: Duration) {
        state.withLock { $0.subscribers[device]?.ask(step, at: time) }
    }

    func answer(_ device: Int, id: DeviceID?, at time: Duration) {
        state.withLock { $0.subscribers[device]?.answer(id: id, at: time) }
    }

    /// The process was killed or suspended.
    func disturb(_ process: String, at time: Duration) {
        state.withLock { $0.disturbances.disturb(process, at: time) }
    }

    /// The stores came back as they were at `moment`.
    func loseRecords(since moment: Duration, at time: Duration) {
        state.withLock { $0.disturbances.loseRecords(since: moment, at: time) }
    }

    /// A rebuild has filled the stores again.
    func endLoss(at time: Duration) {
        state.withLock { $0.disturbances.endLoss(at: time) }
    }

    /// The clock of the stores is stepped.
    func skew(by error: Duration, at time: Duration) {
        state.withLock { $0.disturbances.skew(by: error, at: time) }
    }

    /// Anything may be refused, lost or late from now on.
    func disturbAll(at time: Duration) {
        state.withLock { $0.disturbances.disturbAll(at: time) }
    }

    /// A push that was counted may reach its provider later, for example with a retry.
    func delayPushes(at time: Duration) {
        state.withLock { $0.disturbances.delayPushes(at: time) }
    }

    /// Some clock is wrong by so much.
    func setClock(to error: Duration) {
        state.withLock { $0.disturbances.setClock(to: error) }
    }
}
