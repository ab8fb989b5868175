import PushModel
import Store
import Synchronization

/// Devices whose token another one had when their records were read. While a registry is filled nobody can tell who of
/// them lives: the log is read partition by partition, and the end of the older one may come after the younger. So they
/// are looked at again when everything is read; a place for each is held until then.
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
