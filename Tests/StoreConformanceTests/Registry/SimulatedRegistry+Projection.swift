import MemoryStore
import PushModel
import Store

@testable import Simulation

/// Processes of the simulation neither write the log of the registry nor project it, so there is nothing to wrap.
extension SimulatedRegistry: RegistryJournal, RegistryProjection {
    private var memory: any RegistryJournal & RegistryProjection {
        guard let memory = base as? MemoryRegistry else { preconditionFailure("it wraps the registry in memory") }
        return memory
    }

    func commit(_ changes: [RegistryChange]) async throws(StoreError) {
        try await memory.commit(changes)
    }

    func apply(_ changes: [LoggedChange]) async throws(StoreError) {
        try await memory.apply(changes)
    }

    func applied(in segments: [SegmentID]) async throws(StoreError) -> [Int64] {
        try await memory.applied(in: segments)
    }
}
