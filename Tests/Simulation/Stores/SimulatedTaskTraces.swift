import PushModel
import ServiceKit
import Store

struct SimulatedTaskTraces: TaskTraces {
    let base: any TaskTraces
    let seam: Seam

    func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) async throws(StoreError) {
        try await seam.call("traces.keep") { try await base.keep(trace, of: task, for: retention) }
    }

    func trace(of task: TaskID, created: Timestamp?) async throws(StoreError) -> TaskTrace? {
        try await seam.call("traces.trace") { try await base.trace(of: task, created: created) }
    }
}
