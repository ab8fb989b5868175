import ServiceKit
package import Store

extension MemoryRegistry: RegistryMaintenance {
    package func state() -> RegistryState {
        contents.withLock { $0.isReady ? .ready : .rebuilding }
    }

    package func beginRebuild() {
        contents.withLock { $0 = Contents(isReady: false) }
    }

    package func finishRebuild() {
        contents.withLock { $0.isReady = true }
    }

    /// Nothing is ever left over.
    package func sweep() -> SweepReport { SweepReport() }
}
