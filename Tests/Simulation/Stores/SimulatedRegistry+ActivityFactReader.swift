import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: ActivityFactReader {
    func facts(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityFacts? {
        try await seam.call("registry.facts") {
            if seam.seam.world.bug == .channelDeletedEarly, seam.seam.name.hasPrefix(Role.apple.rawValue) { return nil }
            return try await base.facts(of: activity, in: space)
        }
    }
}
