import ServiceKit
import Store
import Synchronization

/// Readiness check of the registry; reports not ready until the registry is open.
final class RegistryReadiness: Sendable {
    private let registry = Mutex<(any RegistryMaintenance)?>(nil)

    func opened(_ registry: any RegistryMaintenance) {
        self.registry.withLock { $0 = registry }
    }

    func now() async -> Health.Readiness {
        guard let registry = registry.withLock({ $0 }) else { return .notReady("not open yet") }
        do throws(StoreError) {
            switch try await registry.state() {
            case .ready: return .ready
            case .rebuilding: return .notReady("a rebuild is in progress")
            case .absent:
                return .notReady(
                    "the registry is missing: Redis lost its data. Restore its append-only file, or restart ingest-api "
                        + "to start with an empty registry")
            }
        } catch {
            return .notReady(error.description)
        }
    }
}
