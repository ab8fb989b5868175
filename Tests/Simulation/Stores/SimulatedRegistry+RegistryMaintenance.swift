import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: RegistryMaintenance {
    private var use: RegistryUse { seam.seam.world.registryUse }

    func state() async throws(StoreError) -> RegistryState {
        try await seam.seam.call("registry.state") { use.isReady ? .ready : .rebuilding }
    }

    func initialize() async throws(StoreError) {
        try await seam.call("registry.initialize") { try await base.initialize() }
    }

    func beginRebuild() async throws(StoreError) -> any RegistryRefill {
        let generation = try await seam.seam.call("registry.beginRebuild") { use.beginRebuild() }
        return SimulatedRefill(base: base, seam: seam.seam, generation: generation)
    }

    /// Takes it out of use once its store came back with older data.
    func distrust(_ witness: SimulatedWitness) async throws(StoreError) {
        guard let generation = try await seam.seam.call("registry.current", { use.readyGeneration }) else { return }
        try await witness.refresh()
        guard witness.epoch.isDoubtful else { return }
        try await seam.seam.call("registry.retire") { use.retire(generation) }
    }

    func sweep() async throws(StoreError) -> SweepReport {
        try await seam.call("registry.sweep") { try await base.sweep() }
    }
}

/// A rebuild of the registry, whose devices are still there: the bus of the simulation has no log of them.
private struct SimulatedRefill: RegistryRefill {
    let base: any TopicStatistics
    let seam: Seam
    let generation: Int

    private var use: RegistryUse { seam.world.registryUse }

    func apply(_ changes: [LoggedChange]) async throws(StoreError) {
        try await seam.call("refill.apply") { try use.check(generation) }
    }

    func applied(in segments: [SegmentID]) async throws(StoreError) -> [Int64] {
        try await seam.call("refill.applied") {
            try use.check(generation)
            return segments.map { _ in -1 }
        }
    }

    func count(_ publications: [TopicPublication], from partition: Int32, in app: AppID) async throws(StoreError) {
        try await seam.call("refill.count") {
            try use.check(generation)
            try await base.count(publications, from: partition, in: app)
        }
    }

    func finish() async throws(StoreError) {
        try await seam.call("refill.finish") { try use.finish(generation) }
    }
}
