import Bus
import MemoryBus
import MemoryStore
import ServiceKit
import Store
import TestSupport

@testable import IngestAPI

extension TaskAccess {
    /// Stores in memory, for tests that look into none but the archive.
    static func inMemory(
        _ archive: any TaskArchive, producer: any BusProducer, time: ManualTimeSource
    ) -> TaskAccess {
        TaskAccess(
            archive: archive, ledger: MemoryLedger(time: time), agenda: MemoryTaskAgenda(time: time),
            index: MemoryRetryIndex(time: time), traces: MemoryTaskTraces(time: time),
            receipts: MemoryTaskReceipts(time: time), statistics: MemoryTaskStatistics(time: time),
            deviceTasks: MemoryDeviceTasks(time: time), replacements: MemoryTaskReplacements(time: time),
            moments: MemoryUserMoments(time: time), opens: MemoryUserOpens(), keys: MemoryIdempotencyStore(time: time),
            producer: producer, bus: MemoryBus(time: time, random: SeededRandomSource(seed: 3)),
            outages: MemoryProviderOutages(time: time), failingServers: MemoryFailingServers(time: time),
            room: StoreRoom(percentUsed: { 0 }, percentMaximum: 70))
    }
}
