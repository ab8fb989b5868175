import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Counts receipts, each kind once for each device of a task, and tells webhooks. A repeated delivery counts nothing.
struct ReceiptHandler: MessageHandler {
    private struct Group: Hashable {
        let task: TaskID
        let app: AppID
        let day: UInt16
    }

    private let receipts: any TaskReceipts
    private let places: ReceiptPlaces
    private let states: StateRecorder
    private let meters: ReceiptMeters

    init(_ receipts: any TaskReceipts, places: ReceiptPlaces, states: StateRecorder, metrics: Metrics) {
        self.receipts = receipts
        self.places = places
        self.states = states
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
        for part in marks.chunks(of: ReceiptBatch.receiptsMaximum) {
            let counted = try await receipts.count(Array(part), of: task)
            meters.note(counted, of: part.count)
        }
    }
}
