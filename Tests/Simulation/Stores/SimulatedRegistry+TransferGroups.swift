import MemoryStore
import PushModel
import Store

extension SimulatedRegistry: TransferGroups {
    func groups(in app: AppID) async throws(StoreError) -> [TransferGroup] {
        try await seam.call("registry.groups") { try await base.groups(in: app) }
    }

    func group(_ id: Int64, in app: AppID) async throws(StoreError) -> TransferGroup? {
        try await seam.call("registry.group") { try await base.group(id, in: app) }
    }

    func save(_ group: TransferGroup, in app: AppID) async throws(StoreError) -> TransferGroupVerdict {
        try await seam.call("registry.saveGroup") {
            if seam.seam.world.bug == .groupChangeForgotten, seam.seam.chance(20) { return .saved }
            return try await base.save(group, in: app)
        }
    }
}
