import PushModel
import ServiceKit
package import Store

extension MemoryRegistry: RegistryMaintenance {
    package func state() -> RegistryState {
        contents.withLock { $0.isReady ? .ready : .rebuilding }
    }

    /// The registry exists from the start.
    package func initialize() {}

    package func beginRebuild() -> any RegistryRefill {
        contents.withLock { contents in
            contents = Contents(generation: contents.generation + 1, isReady: false)
            return MemoryRefill(contents: self.contents, generation: contents.generation)
        }
    }

    /// There are never remnants to remove.
    package func sweep() -> SweepReport { SweepReport() }
}

/// Access to one generation while it is being filled.
private struct MemoryRefill: RegistryRefill {
    let contents: Monitor<MemoryRegistry.Contents>
    let generation: Int

    func apply(_ changes: [LoggedChange]) throws(StoreError) {
        try withContents { $0.apply(changes) }
    }

    func applied(in segments: [SegmentID]) throws(StoreError) -> [Int64] {
        try withContents { $0.applied(in: segments) }
    }

    func count(
        _ publications: [TopicPublication], from partition: Int32, in app: AppID
    ) throws(StoreError) {
        _ = try withContents { $0.apps[app]?.count(publications, from: partition) }
    }

    func finish() throws(StoreError) {
        try withContents { $0.isReady = true }
    }

    private func withContents<Answer>(
        _ body: (inout MemoryRegistry.Contents) -> Answer
    ) throws(StoreError) -> Answer {
        try contents.withLock { contents throws(StoreError) in
            guard contents.generation == generation else {
                throw StoreError(.notReady, message: "another rebuild has begun")
            }
            return body(&contents)
        }
    }
}
