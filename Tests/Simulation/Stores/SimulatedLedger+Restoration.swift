import PushModel
import ServiceKit
import Store

extension SimulatedLedger: LedgerRestoration {
    func beginRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError) -> Bool {
        try await seam.call("ledger.beginRestoring") { try await base.beginRestoring(task, plan: plan) }
    }

    func restore(
        _ devices: SegmentSet, as state: DeliveryState, of task: TaskID, in segment: SegmentID, plan: TaskPlan
    ) async throws(StoreError) -> SegmentSet? {
        try await seam.call("ledger.restore") {
            try await base.restore(devices, as: state, of: task, in: segment, plan: plan)
        }
    }

    func endRestoring(_ task: TaskID, plan: TaskPlan) async throws(StoreError) {
        try await seam.call("ledger.endRestoring") { try await base.endRestoring(task, plan: plan) }
    }
}
