import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: ActivityFactReader {
    func facts(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityFacts? {
        try await seam.call("registry.facts") { try await base.facts(of: activity, in: space) }
    }
}
