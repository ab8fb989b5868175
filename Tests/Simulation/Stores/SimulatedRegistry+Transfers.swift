import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: Transfers {
    func reserve(_ transfer: Transfer, in app: AppID) async throws(StoreError) -> Transfer {
        try await seam.call("registry.reserve") { try await base.reserve(transfer, in: app) }
    }

    func update(_ transfer: Transfer, in app: AppID) async throws(StoreError) {
        try await seam.call("registry.update") {
            if seam.seam.world.bug == .transferLeftPending { return }
            try await base.update(transfer, in: app)
        }
    }

    func transfer(_ id: UInt64, in app: AppID) async throws(StoreError) -> Transfer? {
        try await seam.call("registry.transfer") { try await base.transfer(id, in: app) }
    }

    func transfer(clientID: Int64, group: Int64, in app: AppID) async throws(StoreError) -> Transfer? {
        try await seam.call("registry.transfer") { try await base.transfer(clientID: clientID, group: group, in: app) }
    }
}
