import ServiceKit
import Store
import Synchronization

/// Whether the registry can be relied on: asked before it is open, and from then on each time.
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
            case .rebuilding: return .notReady("it is being rebuilt")
            case .absent:
                return .notReady(
                    "it is gone: Redis has lost what it held. Bring its append-only file back, or restart ingest-api to "
                        + "begin anew without devices")
            }
        } catch {
            return .notReady(error.description)
        }
    }
}
