import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Counts receipts, each kind once for each device of a task, learns of opens, and tells webhooks. A repeated delivery
/// counts nothing.
struct ReceiptHandler: MessageHandler {
    private struct Group: Hashable {
        let task: TaskID
        let app: AppID
        let day: UInt16
    }

    private let receipts: any TaskReceipts
    private let places: ReceiptPlaces
    private let states: StateRecorder
    private let learner: OpenLearner
    private let meters: ReceiptMeters

    init(
        _ receipts: any TaskReceipts, places: ReceiptPlaces, states: StateRecorder, learner: OpenLearner,
        metrics: Metrics
    ) {
        self.receipts = receipts
        self.places = places
        self.states = states
        self.learner = learner
        meters = ReceiptMeters(metrics)
    }

    func handle(
        _ messages: [ReceivedMessage<ReceiptBatch>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        let groups = Dictionary(grouping: messages.map(\.message)) { Group(task: $0.task, app: $0.app, day: $0.day) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (group, batches) in groups { tasks.addTask { try await count(batches, of: group) } }
            try await tasks.waitForAll()
        }
        try await states.note(messages.map(\.message))
        if let oldest = messages.map(\.message.time).min() { meters.note(delay: context.time.now - oldest) }
        return []
    }

    /// In parts that hold the store no longer than one request of an app.
    private func count(_ batches: [ReceiptBatch], of group: Group) async throws {
        let marks = batches.flatMap(\.marks)
        let task = ReceiptTask(
            group.task, of: group.app, day: group.day,
            places: try await places.places(of: group.task, day: group.day))
        var opened = 0
        for part in marks.chunks(of: ReceiptBatch.receiptsMaximum) {
            let counted = try await receipts.count(Array(part), of: task)
            opened += counted[.opened]
            meters.note(counted, of: part.count)
        }
        let opens = batches.flatMap(\.receipts).filter { $0.kind == .opened }
        if opened > 0, let open = opens.first { try await learn(open, of: task, counted: opened) }
    }

    /// A task counts once, as it does when it is delivered: only its first opens, which are those counted now, are learnt.
    /// If two of its devices are counted at the same time, none of them may be.
    private func learn(_ open: DeviceReceipt, of task: ReceiptTask, counted: Int) async throws {
        let place = task.places.first { $0.dimension == .cohort }
        guard let cohort = place.flatMap({ CampaignCohort($0.value) }) else { return }
        let opened = try await receipts.counts(of: task.task, days: task.day...task.day)[.opened]
        guard opened == counted else { return }
        let sent = try await places.begin(of: task.task) ?? open.time
        try await learner.noteOpen(on: open.device, in: task.app, campaign: cohort.campaign, sent: sent)
    }
}
