import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TaskModel
import Topics

/// Brings the tasks that were open back into a store that has lost them, from the topics. What was begun is ended: a device
/// with a result as it says, every other one that was named as unknown. What was not begun is resolved as if it had just
/// come. Nothing else may ask the registry meanwhile.
///
/// Memory holds tasks and never devices: what is read of them goes into the ledgers at once. Cut off anywhere it is run
/// again, finds which tasks it had not finished, and repeats what it told under the same ids.
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

    /// Tells `note` every few thousand messages.
    func run(_ note: (RecoverySummary) -> Void) async throws -> RecoverySummary {
        let producer = try await bus.makeProducer(ProducerOptions())
        var summary = RecoverySummary()
        do {
            try await recover(.all, with: producer, summary: &summary, note: note)
        } catch {
            await producer.close()
            throw error
        }
        await producer.close()
        return summary
    }

    /// In halves where there are more tasks than can be held: the topics are then read once for each.
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
