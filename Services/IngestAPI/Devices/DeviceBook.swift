import PushModel
import ServiceKit
import Store

/// Reads an app's devices.
struct DeviceBook: Sendable {
    /// Store requests of one list in flight.
    static let atOnceMaximum = 16

    let registry: any Registry

    func device(of token: PushToken, in app: AppID) async throws -> [RegisteredDevice] {
        guard let id = try await registry.device(of: token, in: app) else { return [] }
        return try await registry.device(id, in: app).map { [$0] } ?? []
    }

    /// At most `RegistryBounds.devicesOfAliasMaximum`.
    func devices(of user: Alias, in app: AppID) async throws -> [RegisteredDevice] {
        let ids = try await registry.devices(of: user, in: app)
        let found = try await ids.concurrentMap(atOnce: DeviceBook.atOnceMaximum) { [registry] id in
            try await registry.device(id, in: app)
        }
        // A device may have been removed, or given to another user, since its id was read.
        return found.compactMap { $0 }.filter { $0.device.isOf(user) }
    }
}

extension Device {
    func isOf(_ user: Alias) -> Bool {
        aliases[user.kind].map { $0.utf8.elementsEqual(user.value.utf8) } ?? false
    }
}
