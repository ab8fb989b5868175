import PushModel
import ServiceKit
import Store

struct SimulatedTaskStatistics: TaskStatistics {
    let base: any TaskStatistics
    let seam: Seam

    func fold(_ task: CountedTask) async throws(StoreError) -> Bool {
        try await seam.call("statistics.fold") { try await base.fold(task) }
    }

    func read(_ selection: StatisticsSelection) async throws(StoreError) -> StatisticsPage {
        try await seam.call("statistics.read") { try await base.read(selection) }
    }
}
