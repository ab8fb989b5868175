import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TaskKit
import Topics

/// Counts the receipts on their topic again. The store counts each once, also those that it has.
struct ReceiptRecovery {
    private static let batchesAtOnce = 64

    private let bus: any Bus
    private let receipts: any TaskReceipts
    private let places: ReceiptPlaces
    private let time: any TimeSource
    private let patience: StorePatience
    private var read: [ReceiptBatch] = []

    init(_ recovery: TaskRecovery) {
        bus = recovery.bus
        receipts = recovery.stores.receipts
        places = ReceiptPlaces(
            receipts: receipts, archive: recovery.stores.archive, traces: recovery.stores.traces)
        time = recovery.environment.time
        patience = StorePatience(recovery.environment)
    }

    /// Adds to the summary. After the reports, which say under what receipts count.
    mutating func run(_ summary: inout RecoverySummary, note: (RecoverySummary) -> Void) async throws {
        var recovery = self
        try await bus.scan(Topics.receipts.channel) { message in
            summary.count(note)
            do {
                try recovery.take(ReceiptBatch(decoding: message.value))
            } catch is MalformedMessageError {
                summary.unreadable += 1
            }
            if recovery.read.count == ReceiptRecovery.batchesAtOnce { try await recovery.count(&summary) }
            return true
        }
        try await recovery.count(&summary)
    }

    /// Of what the store remembers no longer, it cannot tell whether it was counted.
    private mutating func take(_ batch: ReceiptBatch) throws {
        if time.now < TaskReceiptBounds.end(of: batch.day) { read.append(batch) }
    }

    /// Those of one task one after the other: the first ones decide its places.
    private mutating func count(_ summary: inout RecoverySummary) async throws {
        let counted = try await read.groups { $0.task }.concurrentMap(atOnce: ReceiptRecovery.batchesAtOnce) {
            [self] batches in
            var counted = 0
            for batch in batches { counted += try await count(batch) }
            return counted
        }
        summary.receipts += counted.reduce(0, +)
        read = []
    }

    private func count(_ batch: ReceiptBatch) async throws -> Int {
        try await patience.perform {
            let task = ReceiptTask(
                batch.task, of: batch.app, day: batch.day,
                places: try await places.places(of: batch.task, day: batch.day))
            return try await receipts.count(batch.marks, of: task).total
        }
    }
}
