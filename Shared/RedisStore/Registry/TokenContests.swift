import PushModel
import Store
import Synchronization

/// Devices whose token was held by another device when their records were read. While the registry is filled it is
/// unknown which of them is alive: the log is read partition by partition, and the removal of the older device may come
/// after the younger one. They are compared again after the whole log is read; until then each keeps its index.
final class TokenContests: Sendable {
    private let devices = Mutex<[AppID: Set<DeviceIndex>]>([:])

    func note(_ index: DeviceIndex, of app: AppID) {
        devices.withLock { _ = $0[app, default: []].insert(index) }
    }

    func settle(_ registry: RedisRegistry, in generation: RegistryGeneration) async throws(StoreError) {
        for (app, indices) in devices.withLock({ $0 }) {
            let scope = AppScope(generation: generation, app: app)
            for index in indices.sorted() { try await registry.settleToken(of: index, in: scope) }
        }
    }
}
