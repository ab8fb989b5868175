import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: ActivityClocks {
    func clock(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityClock {
        try await seam.call("registry.clock") { try await base.clock(of: activity, in: space) }
    }
}
