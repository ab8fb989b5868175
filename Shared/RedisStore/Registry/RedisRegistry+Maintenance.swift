import PushModel
import RedisClient
package import Store

extension RedisRegistry: RegistryMaintenance {
    package func state() async throws(StoreError) -> RegistryState {
        try await root.state()
    }

    package func initialize() async throws(StoreError) {
        try await createUnlessThere()
    }

    /// The new generation first, so that nobody takes what is removed then for what never was.
    package func beginRebuild() async throws(StoreError) -> any RegistryRefill {
        let generation = try await root.create(.rebuilding, aliasBuckets: aliasBuckets, replacing: true)
        try await RegistryKeyspace(redis: redis).clear(before: generation)
        return RedisRefill(registry: self, generation: generation)
    }

    /// Takes a registry that went back with its store out of use until it is filled again. One that a rebuild has filled
    /// meanwhile stays.
    package func distrust(_ witness: RedisWitness) async throws(StoreError) {
        guard try await root.state() == .ready, try await witness.isDoubtful() else { return }
        _ = try await root.create(.rebuilding, aliasBuckets: aliasBuckets, replacing: true)
    }

    package func sweep() async throws(StoreError) -> SweepReport {
        let generation = try await root.ready()
        var report = SweepReport()
        for scope in try await root.apps(in: generation) {
            let sweep = RegistrySweep(registry: self, scope: scope)
            report.removedDevices += try await sweep.forgetRemovedDevices()
            report.topicEntries += try await sweep.leaveEmptySegments()
        }
        return report
    }

    /// A root that is gone while the rest is there is a loss, and no new registry.
    func createUnlessThere() async throws(StoreError) {
        guard try await root.state() == .absent else { return }
        var hasRemains = false
        try await RegistryKeyspace(redis: redis).visit { keys throws(StoreError) in
            hasRemains = hasRemains || !keys.isEmpty
            return !hasRemains
        }
        guard !hasRemains else {
            // Unless another process has made it meanwhile.
            guard try await root.state() == .absent else { return }
            throw redis.notReady("Redis holds devices, and has lost the key that says of which registry")
        }
        _ = try await root.create(.ready, aliasBuckets: aliasBuckets, replacing: false)
    }
}

/// The way into one generation while it is being filled. Every script it runs names that generation, so that a registry
/// begun later refuses it.
private struct RedisRefill: RegistryRefill {
    let registry: RedisRegistry
    let generation: RegistryGeneration
    let contests = TokenContests()

    func apply(_ changes: [LoggedChange]) async throws(StoreError) {
        try await registry.apply(changes, in: generation, noting: contests)
    }

    func applied(in segments: [SegmentID]) async throws(StoreError) -> [Int64] {
        try await registry.applied(in: segments, of: generation)
    }

    func finish() async throws(StoreError) {
        try await contests.settle(registry, in: generation)
        for scope in try await registry.root.apps(in: generation) { try await registry.allocator.reopen(in: scope) }
        try await registry.root.setState(ready: generation)
    }
}
