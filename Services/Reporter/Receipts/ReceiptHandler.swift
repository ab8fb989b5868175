import Bus
import PushModel
import ServiceKit
import Store
import Topics

/// Counts receipts, each kind once for each device of a task. A repeated delivery counts nothing.
struct ReceiptHandler: MessageHandler {
    private struct Group: Hashable {
        let task: TaskID
        let day: UInt16
    }

    private let receipts: any TaskReceipts
    private let meters: ReceiptMeters

    init(_ receipts: any TaskReceipts, metrics: Metrics) {
        self.receipts = receipts
        meters = ReceiptMeters(metrics)
    }

    func handle(
        _ messages: [ReceivedMessage<ReceiptBatch>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        let groups = Dictionary(grouping: messages.map(\.message)) { Group(task: $0.task, day: $0.day) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (group, batches) in groups { tasks.addTask { try await count(batches, of: group) } }
            try await tasks.waitForAll()
        }
        return []
    }

    /// In parts that hold the store no longer than one request of an app.
    private func count(_ batches: [ReceiptBatch], of group: Group) async throws {
        let marks = batches.flatMap { $0.receipts.map { ReceiptMark($0.kind, of: $0.device) } }
        for part in marks.chunks(of: ReceiptBatch.receiptsMaximum) {
            let counted = try await receipts.count(Array(part), of: group.task, day: group.day)
            meters.note(counted, of: part.count)
        }
    }
}
