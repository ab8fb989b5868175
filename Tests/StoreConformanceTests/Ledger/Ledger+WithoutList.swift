import PushModel
import Store

/// Steps of tasks without a list.
extension Ledger {
    func begin(
        _ task: TaskID, plan: TaskPlan, devices: [UInt8], in segments: [SegmentNumber]
    ) async throws(StoreError) -> TaskBeginning {
        try await begin(task, plan: plan, devices: devices, unmatched: 0, in: segments)
    }

    func resolve(job: Int, of task: TaskID) async throws(StoreError) {
        try await resolve(job: job, unmatched: 0, of: task)
    }
}
