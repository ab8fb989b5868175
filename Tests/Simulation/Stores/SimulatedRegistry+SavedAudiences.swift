import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: SavedAudiences {
    func save(_ definition: [UInt8], as name: AudienceName, in app: AppID) async throws(StoreError) {
        try await seam.call("registry.save") { try await base.save(definition, as: name, in: app) }
    }

    func removeAudience(_ name: AudienceName, in app: AppID) async throws(StoreError) {
        try await seam.call("registry.removeAudience") { try await base.removeAudience(name, in: app) }
    }

    func audiences(_ names: [AudienceName], in app: AppID) async throws(StoreError) -> [AudienceName: [UInt8]] {
        try await seam.call("registry.audiences") { try await base.audiences(names, in: app) }
    }

    func audienceNames(in app: AppID) async throws(StoreError) -> [AudienceName] {
        try await seam.call("registry.audienceNames") { try await base.audienceNames(in: app) }
    }
}
