package import ServiceKit

extension RegistryMaintenance {
    /// For services that can do nothing without a whole registry; `meanwhile` says what becomes of their work.
    package func readiness(meanwhile: String) async -> Health.Readiness {
        do throws(StoreError) {
            switch try await state() {
            case .ready: return .ready
            case .rebuilding: return .notReady("it is being rebuilt; \(meanwhile)")
            case .absent: return .notReady("there is none; \(meanwhile)")
            }
        } catch {
            return .notReady(error.description)
        }
    }
}
