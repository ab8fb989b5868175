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

    /// Creates the new generation before it removes keys, so that removed keys are not taken for keys never written.
    package func beginRebuild() async throws(StoreError) -> any RegistryRefill {
        let generation = try await root.create(.rebuilding, aliasBuckets: aliasBuckets, existing: .replaced)
        try await RegistryKeyspace(redis: redis).clear(before: generation)
        return RedisRefill(registry: self, generation: generation)
    }

    /// Disables a registry that went back with its store until it is filled again. A registry that a rebuild has filled
    /// in the meantime stays ready.
    package func distrust(_ witness: RedisWitness) async throws(StoreError) {
        guard let generation = try await root.current(), generation.isReady else { return }
        guard try await witness.currentEpoch().isDoubtful else { return }
        _ = try await root.create(.rebuilding, aliasBuckets: aliasBuckets, existing: .replacedIf(generation))
    }

    package func sweep() async throws(StoreError) -> SweepReport {
        let generation = try await root.ready()
        var report = SweepReport()
        for scope in try await root.apps(in: generation) {
            let sweep = RegistrySweep(registry: self, scope: scope)
            report.removedDevices += try await sweep.forgetRemovedDevices()
            try await sweep.finishPurges()
            report.topicEntries += try await sweep.leaveEmptySegments()
        }
        return report
    }

    /// If the root is missing and other keys exist, the registry is lost, not new.
    func createUnlessThere() async throws(StoreError) {
        guard try await root.state() == .absent else { return }
        var hasRemains = false
        try await RegistryKeyspace(redis: redis).visit { keys throws(StoreError) in
            hasRemains = hasRemains || !keys.isEmpty
            return !hasRemains
        }
        guard !hasRemains else {
            // Another process may have created it in the meantime.
            guard try await root.state() == .absent else { return }
            throw redis.notReady("Redis has lost its key `registry`; rebuild the registry or restore a backup")
        }
        _ = try await root.create(.ready, aliasBuckets: aliasBuckets, existing: .kept)
    }
}

/// Access to one generation while it is being filled. Every script it runs names that generation, so that a registry
/// begun later rejects it.
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

    func count(
        _ publications: [TopicPublication], from partition: Int32, in app: AppID
    ) async throws(StoreError) {
        try await registry.count(publications, from: partition, in: AppScope(generation: generation, app: app))
    }

    func finish() async throws(StoreError) {
        try await contests.settle(registry, in: generation)
        for scope in try await registry.root.apps(in: generation) { try await registry.allocator.reopen(in: scope) }
        try await registry.root.setState(ready: generation)
    }
}
