import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TaskModel
import Topics

/// Restores open tasks from the topics into a store that has lost them. Tasks that were begun are closed: a device
/// with a result gets that outcome, every other device that was named gets unknown. Tasks that were not begun are
/// resolved as if newly accepted. Nothing else may use the registry meanwhile.
///
/// Memory holds tasks but no devices, whose states go directly into the ledgers. After an interruption it is run again:
/// it finds the unfinished tasks and repeats its results under the same ids.
struct TaskRecovery {
    static let reason = "ledger lost"

    let bus: any Bus
    let stores: RecoveryStores
    let environment: WorkerEnvironment
    private let entriesMaximum: Int

    init(
        bus: any Bus, stores: RecoveryStores, environment: WorkerEnvironment,
        entriesMaximum: Int = RecoveryBook.entriesMaximum
    ) {
        self.bus = bus
        self.stores = stores
        self.environment = environment
        self.entriesMaximum = entriesMaximum
    }

    /// Calls `note` every few thousand messages.
    func run(_ note: (RecoverySummary) -> Void) async throws -> RecoverySummary {
        let producer = try await bus.makeProducer(ProducerOptions())
        var summary = RecoverySummary()
        do {
            // Before `tasks`, which has the content of those that were released meanwhile.
            var schedules = ScheduleRecovery(self)
            try await schedules.run(&summary, note: note)
            try await recover(.all, with: producer, summary: &summary, note: note)
            var receipts = ReceiptRecovery(self)
            try await receipts.run(&summary, note: note)
        } catch {
            await producer.close()
            throw error
        }
        await producer.close()
        return summary
    }

    /// Halves the slice if it has too many tasks; the topics are then read once for each half.
    private func recover(
        _ slice: RecoverySlice, with producer: any BusProducer, summary: inout RecoverySummary,
        note: (RecoverySummary) -> Void
    ) async throws {
        var pass = RecoveryPass(
            self, book: RecoveryBook(slice, entriesMaximum: entriesMaximum), producer: producer, summary: summary)
        do {
            try await pass.run(note)
            summary = pass.summary
        } catch let full as RecoveryBook.CapacityError {
            guard let halves = slice.halves else { throw full }
            for half in halves { try await recover(half, with: producer, summary: &summary, note: note) }
        }
    }
}
