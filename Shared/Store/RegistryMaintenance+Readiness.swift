package import ServiceKit

extension RegistryMaintenance {
    /// For services that need a complete registry; `meanwhile` describes what happens to their work until then.
    package func readiness(meanwhile: String) async -> Health.Readiness {
        do throws(StoreError) {
            switch try await state() {
            case .ready: return .ready
            case .rebuilding: return .notReady("it is being rebuilt; \(meanwhile)")
            case .absent: return .notReady("it does not exist; \(meanwhile)")
            }
        } catch {
            return .notReady(error.description)
        }
    }
}
